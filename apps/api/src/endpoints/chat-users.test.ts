import type { BotResource } from '@flotilla/contract/bots.ts';
import type { ChatPersonResource, ChatUserResource } from '@flotilla/contract/chat-users.ts';
import { type RestAnswer, restClient } from '@flotilla/testing/rest-client.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
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

describe('one author of a chat', () => {
  const ADA = 501;
  const show = async (query: object, client = api.admin) =>
    client('GET', '/api/users/show', { query: { bot_id: bot.id, chat_id: CHAT - 9, user_id: ADA, ...query } });

  test('has names, messages, tags and what others have, private chats with bots of the caller, and what was done', async () => {
    const [seen, foreign] = [await api.addBot(), await api.addBot()];
    const chat_id = CHAT - 9;
    const { db } = api.database;
    const message = { chat_id, user_id: ADA, username: 'ada', first_name: 'Ada' };
    await storeMessages(db, bot.id, [
      { ...message, id: 1, date: 1_770_000_000, text: 'first' },
      { ...message, id: 2, date: 1_770_000_100, text: 'second', last_name: 'Lovelace' },
    ]);
    const privately = [bot, seen, foreign].map(({ id }) => ({ bot_id: id, id: ADA, type: 'private' }));
    await db.insertInto('chats').values(privately).execute();
    const tag = { bot_id: bot.id, chat_id, color: '#CC3300' };
    const tagged = [
      { user_id: ADA, tag: 'vip' },
      { user_id: 2, tag: 'vip' },
      { user_id: 2, tag: 'refund' },
      { user_id: 3, tag: 'refund' },
      { user_id: 3, tag: 'angry' },
    ];
    await db
      .insertInto('tags')
      .values(tagged.map((one) => ({ ...tag, ...one })))
      .execute();
    const entry = { bot_id: bot.id, chat_id, actor_kind: 'bot' as const, date: 1_770_000_300 };
    await db
      .insertInto('audit_log')
      .values([
        { ...entry, action: 'ban', target_id: ADA, address: '192.0.2.1' },
        { ...entry, action: 'ban', target_id: 2 },
        // A message with the same id.
        { ...entry, action: 'pin', target_id: ADA },
      ])
      .execute();
    const owner = await insertAccount(db, { username: 'of-two-bots', bots: [bot.id, seen.id] });
    const person = (await show({}, restClient(api.url, owner.key))).json as ChatPersonResource;
    expect(person).toMatchObject({
      ...{ user_id: ADA, username: 'ada', first_name: 'Ada', last_name: 'Lovelace' },
      ...{ messages: 2, first_message_at: new Date(1_770_000_000_000).toISOString() },
      tags: [{ tag: 'vip' }],
      suggested_tags: [
        { tag: 'refund', color: '#CC3300' },
        { tag: 'angry', color: '#CC3300' },
      ],
      actions: [{ action: 'ban', target_id: ADA }],
    });
    expect(person.actions[0]).not.toHaveProperty('address');
    expect(person.private_chats).toEqual([
      { bot_id: bot.id, bot_name: bot.name },
      { bot_id: seen.id, bot_name: seen.name },
    ]);
    expect((await show({ bot_id: foreign.id }, restClient(api.url, owner.key))).status).toBe(403);
    expect(((await show({})).json as ChatPersonResource).actions[0]).toHaveProperty('address');
  });

  test('who is not known has no names and no messages', async () => {
    expect((await show({ user_id: 404 })).json).toEqual({
      ...{ user_id: 404, messages: 0, tags: [], private_chats: [], actions: [] },
      suggested_tags: expect.any(Array),
    });
  });
});
