import type { BotResource } from '@flotilla/contract/bots.ts';
import type { ChatUserResource } from '@flotilla/contract/chat-users.ts';
import type { RestAnswer } from '@flotilla/testing/rest-client.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';

const CHAT = -1_006_000_000_006;

const api = testApi();
let bot: BotResource;

beforeAll(async () => {
  bot = await api.addBot();
});

const insert = (
  users: { user_id: number; username?: string; first_name?: string; last_name?: string; is_bot?: boolean }[],
  chat = CHAT,
) =>
  api.database.db
    .insertInto('chat_users')
    .values(
      users.map((user) => ({
        username: null,
        first_name: null,
        last_name: null,
        ...user,
        bot_id: bot.id,
        chat_id: chat,
      })),
    )
    .execute();
const list = (query: Record<string, string | number>) =>
  api.admin('GET', '/api/users/list', { query: { bot_id: bot.id, chat_id: CHAT, ...query } });
const idsOf = (answer: RestAnswer) => (answer.json as ChatUserResource[]).map(({ id }) => id);

describe('the users of a chat', () => {
  test('are those who wrote in it, found by a part of any name', async () => {
    await insert([
      { user_id: 3, username: 'GraceH', first_name: 'Grace' },
      { user_id: 1, first_name: 'Юлия_1' },
      { user_id: 2, username: 'some_bot', is_bot: true },
    ]);
    const all = await list({});
    expect(all.json).toEqual([
      { id: 1, first_name: 'Юлия_1', is_bot: false },
      { id: 2, username: 'some_bot', is_bot: true },
      { id: 3, username: 'GraceH', first_name: 'Grace', is_bot: false },
    ]);
    expect(all.headers.get('x-total-count')).toBe('3');
    expect(idsOf(await list({ q: 'ЮЛ' }))).toEqual([1]);
    expect(idsOf(await list({ q: 'graceh' }))).toEqual([3]);
    expect(idsOf(await list({ q: '_' }))).toEqual([1, 2]);
    expect(idsOf(await list({ q: '%' }))).toEqual([]);
    expect((await list({ q: 'ace' })).headers.get('x-total-count')).toBe('1');
  });

  test('are found by the full name, and by how an @username begins', async () => {
    const chat_id = CHAT - 2;
    await insert(
      [
        { user_id: 11, username: 'ada_l', first_name: 'Ada', last_name: 'Lovelace' },
        { user_id: 12, username: 'not_ada', first_name: 'Charles', last_name: 'Babbage' },
        { user_id: 13, first_name: 'Ada' },
      ],
      chat_id,
    );
    expect(idsOf(await list({ chat_id, q: 'ada love' }))).toEqual([11]);
    expect(idsOf(await list({ chat_id, q: '@ADA' }))).toEqual([11]);
    expect(idsOf(await list({ chat_id, q: '@ada_l' }))).toEqual([11]);
    expect(idsOf(await list({ chat_id, q: 'ada' }))).toEqual([11, 12, 13]);
    expect(idsOf(await list({ chat_id, q: 'lovelace ada' }))).toEqual([]);
  });

  test('come 50 at a time unless asked otherwise, and page by offset and cursor', async () => {
    const chat_id = CHAT - 1;
    await insert(
      Array.from({ length: 120 }, (_, at) => ({ user_id: at + 1 })),
      chat_id,
    );
    const first = await list({ chat_id });
    expect(idsOf(first)).toHaveLength(50);
    expect(idsOf(await list({ chat_id, limit: 120 }))).toHaveLength(120);
    expect(idsOf(await list({ chat_id, limit: 2, offset: 118 }))).toEqual([119, 120]);
    await insert([{ user_id: 500 }], chat_id);
    const next = /^<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const second = await api.admin('GET', next);
    expect([idsOf(second)[0], idsOf(second).length]).toEqual([51, 50]);
  });

  test('are nobody for a chat that is not tracked', async () => {
    expect(await list({ chat_id: 404 })).toMatchObject({ status: 200, json: [] });
  });
});
