import type { BotResource } from '@flotilla/contract/bots.ts';
import type { ChatResource } from '@flotilla/contract/chats.ts';
import type { MessageResource } from '@flotilla/contract/messages.ts';
import type { RestAnswer } from '@flotilla/testing/rest-client.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';

const PERSON = 7_000_000_001;
const GROUP = -1_001_234_567_890;

const api = testApi();
let bot: BotResource;

beforeAll(async () => {
  const known = await api.platform.createBot({});
  bot = (await api.admin('POST', '/api/bots/add', { body: { token: known.token } })).json as BotResource;
  await api.platform.createPerson({ id: PERSON, firstName: 'Ada' });
  await api.platform.startBot({ person: PERSON, bot: known.id });
});

const send = (body: object) =>
  api.admin('POST', '/api/messages/send', { body: { bot_id: bot.id, chat_id: PERSON, ...body } });
const list = (query: Record<string, string | number>) =>
  api.admin('GET', '/api/messages', { query: { bot_id: bot.id, ...query } });
const idsOf = (answer: RestAnswer) => (answer.json as MessageResource[]).map(({ id }) => id);
const nextOf = (answer: RestAnswer) => /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];

describe('sending a message', () => {
  test('reaches the chat, and is stored when the answer comes', async () => {
    const sent = await send({ text: 'Hello *there*', parse_mode: 'markdownv2' });
    expect(sent.json).toEqual({
      id: expect.any(Number),
      chat_id: PERSON,
      bot_id: bot.id,
      user_id: Number(bot.token.split(':')[0]),
      username: bot.username,
      first_name: bot.name,
      text: 'Hello there',
      date: expect.any(Number),
      outgoing: true,
    });
    expect((await list({ chat_id: PERSON })).json).toEqual([sent.json]);
    const shown = await api.platform.readChat({ person: PERSON, bot: Number(bot.token.split(':')[0]) });
    expect(shown.messages.at(-1)).toMatchObject({ text: 'Hello there' });
    const chats = await api.admin('GET', '/api/chats', { query: { bot_id: bot.id } });
    expect(chats.json).toEqual([expect.objectContaining({ id: PERSON, type: 'private', first_name: 'Ada' })]);
  });

  test('can answer another message', async () => {
    const first = (await send({ text: 'a question' })).json as MessageResource;
    const reply = await send({ text: 'an answer', reply_to_message_id: first.id });
    expect(reply.json).toMatchObject({ reply_to_message_id: first.id });
  });

  test('hands on what the platform refuses, and its 429 with its seconds', async () => {
    const refused = await send({ chat_id: 999, text: 'x' });
    expect(refused).toMatchObject({ status: 400, json: { code: 'platform_refused', error_code: 400 } });
    expect((refused.json as { error: string }).error).toContain('chat not found');
    const effect = { kind: 'status', status: 429, retryAfterS: 3 } as const;
    await api.platform.setFault({ method: 'sendMessage', effect, count: 1 });
    const flood = await send({ text: 'x' });
    expect([flood.status, flood.headers.get('retry-after')]).toEqual([429, '3']);
  });

  test('is 502 when the platform breaks off or answers garbage', async () => {
    for (const effect of [{ kind: 'reset' }, { kind: 'status', status: 502, body: 'Bad Gateway' }] as const) {
      await api.platform.setFault({ method: 'sendMessage', effect, count: 1 });
      expect((await send({ text: 'x' })).json).toMatchObject({ code: 'platform_failed' });
    }
  });
});

describe('listing messages', () => {
  const rows = Array.from({ length: 25 }, (_, at) => ({
    bot_id: 0,
    chat_id: GROUP,
    id: at + 1,
    // Groups of five messages have the same second; then the higher id is newer.
    date: 1_700_000_000 + Math.floor(at / 5),
    text: `message ${at + 1}`,
  }));

  beforeAll(async () => {
    const { db } = api.database;
    await db
      .insertInto('messages')
      .values(rows.map((row) => ({ ...row, bot_id: bot.id })))
      .execute();
    const deleted = { bot_id: bot.id, chat_id: GROUP, id: 100, date: 1_700_000_100, deleted_at: new Date(0) };
    await db
      .insertInto('messages')
      .values({ ...deleted, text: 'gone' })
      .execute();
  });

  test('is newest first, by date and then by id', async () => {
    const answer = await list({ chat_id: GROUP });
    expect(idsOf(answer)).toEqual(rows.map(({ id }) => id).reverse());
    expect(answer.headers.get('x-total-count')).toBe('25');
    expect(nextOf(answer)).toBeUndefined();
  });

  test('leaves out what was deleted unless asked', async () => {
    const answer = await list({ chat_id: GROUP, include_deleted: 1, limit: 1 });
    expect(answer.json).toEqual([expect.objectContaining({ id: 100, deleted_at: '1970-01-01T00:00:00.000Z' })]);
    expect(answer.headers.get('x-total-count')).toBe('26');
  });

  test('pages by offset', async () => {
    expect(idsOf(await list({ chat_id: GROUP, limit: 10, offset: 20 }))).toEqual([5, 4, 3, 2, 1]);
    expect(idsOf(await list({ chat_id: GROUP, offset: 99 }))).toEqual([]);
  });

  test('pages by the cursor of its Link while messages are added', async () => {
    const chat = GROUP - 1;
    const { db } = api.database;
    const add = (id: number) =>
      db
        .insertInto('messages')
        .values({ bot_id: bot.id, chat_id: chat, id, date: 1_700_000_000 + (id >> 2) })
        .execute();
    for (let id = 1; id <= 12; id += 1) await add(id);
    let page = await list({ chat_id: chat, limit: 5, offset: 1 });
    const seen = idsOf(page);
    for (let id = 13; nextOf(page) !== undefined; id += 1) {
      await add(id);
      page = await api.admin('GET', nextOf(page) ?? '');
      seen.push(...idsOf(page));
    }
    expect(seen).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });

  test('lowers a limit above the maximum, and takes ids as decimal strings', async () => {
    const many = Array.from({ length: 230 }, (_, at) => ({ bot_id: bot.id, chat_id: 5, id: at + 1, date: at }));
    await api.database.db.insertInto('messages').values(many).execute();
    expect(idsOf(await list({ chat_id: '5', limit: '100000' }))).toHaveLength(200);
    expect(idsOf(await list({ chat_id: '5' }))).toHaveLength(50);
  });

  test('is narrowed by user, medium and time, with totals and cursors of what is left', async () => {
    const chat = GROUP - 2;
    const { db } = api.database;
    const mixed = Array.from({ length: 60 }, (_, at) => ({
      ...{ bot_id: bot.id, chat_id: chat, id: at + 1, date: 1_700_000_000 + at },
      ...{ user_id: at % 2 === 0 ? PERSON : GROUP, media_type: at % 3 === 0 ? 'photo' : null },
    }));
    await db.insertInto('messages').values(mixed).execute();
    const find = async (query: Record<string, string | number>) => {
      const answer = await list({ chat_id: chat, limit: 4, ...query });
      return [idsOf(answer), answer.headers.get('x-total-count')];
    };
    expect(await find({ user_id: PERSON })).toEqual([[59, 57, 55, 53], '30']);
    expect(await find({ user_id: GROUP, media_type: 'photo' })).toEqual([[58, 52, 46, 40], '10']);
    expect(await find({ from: 1_700_000_057 })).toEqual([[60, 59, 58], '3']);
    expect(await find({ from: '2023-11-14T22:13:21Z', to: '2023-11-14T23:13:22+01:00' })).toEqual([[3, 2], '2']);
    expect(await find({ media_type: 'voice' })).toEqual([[], '0']);
    let page = await list({ chat_id: chat, limit: 4, user_id: PERSON, media_type: 'photo', to: 1_700_000_050 });
    const seen = idsOf(page);
    while (nextOf(page) !== undefined) {
      page = await api.admin('GET', nextOf(page) ?? '');
      expect(page.headers.get('x-total-count')).toBe('9');
      seen.push(...idsOf(page));
    }
    expect(seen).toEqual([49, 43, 37, 31, 25, 19, 13, 7, 1]);
    expect(await list({ chat_id: chat, from: 'yesterday' })).toMatchObject({
      status: 400,
      json: { details: [{ path: 'from' }] },
    });
    const exported = await api.admin('GET', '/api/messages/export', {
      query: { bot_id: bot.id, chat_id: chat, user_id: PERSON, to: 1_700_000_004 },
    });
    expect(
      exported.text
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as MessageResource).id),
    ).toEqual([5, 3, 1]);
  });

  test('is empty for a chat that is not tracked', async () => {
    const answer = await list({ chat_id: 404 });
    expect([answer.status, answer.json, answer.headers.get('x-total-count')]).toEqual([200, [], '0']);
  });
});

describe('listing chats', () => {
  test('finds a part of any name, in any case, and nothing by a wildcard', async () => {
    const { db } = api.database;
    const known = await api.platform.createBot({});
    const other = (await api.admin('POST', '/api/bots/add', { body: { token: known.token } })).json as BotResource;
    const chats = [
      { id: -3, type: 'group', title: 'Больница' },
      { id: -2, type: 'supergroup', title: '100% sure', username: 'SureGroup' },
      { id: 4, type: 'private', first_name: 'Grace', last_name: 'Hopper' },
    ];
    await db
      .insertInto('chats')
      .values(chats.map((chat) => ({ ...chat, bot_id: other.id, message_count: 0 })))
      .execute();
    const find = async (query: Record<string, string | number>) =>
      ((await api.admin('GET', '/api/chats', { query: { bot_id: other.id, ...query } })).json as ChatResource[]).map(
        ({ id }) => id,
      );
    expect(await find({})).toEqual([-3, -2, 4]);
    expect(await find({ q: 'БОЛЬ' })).toEqual([-3]);
    expect(await find({ q: 'suregr' })).toEqual([-2]);
    expect(await find({ q: 'hopp' })).toEqual([4]);
    expect(await find({ q: 'grace ho' })).toEqual([4]);
    expect(await find({ type: 'private' })).toEqual([4]);
    expect(await find({ type: 'group', q: 'hopp' })).toEqual([]);
    const groups = await api.admin('GET', '/api/chats', { query: { bot_id: other.id, type: 'supergroup', limit: 1 } });
    expect([groups.headers.get('x-total-count'), nextOf(groups)]).toEqual(['1', undefined]);
    const people = await api.admin('GET', '/api/chats', { query: { bot_id: other.id, type: 'private' } });
    expect(people.json).toMatchObject([{ title: 'Grace Hopper', first_name: 'Grace', last_name: 'Hopper' }]);
    expect(await find({ q: '%' })).toEqual([-2]);
    expect(await find({ q: '_' })).toEqual([]);
    expect(await find({ limit: 1, offset: 1 })).toEqual([-2]);
    const first = await api.admin('GET', '/api/chats', { query: { bot_id: other.id, limit: 2 } });
    const rest = await api.admin('GET', nextOf(first) ?? '');
    expect((rest.json as ChatResource[]).map(({ id }) => id)).toEqual([4]);
    expect(rest.headers.get('x-total-count')).toBe('3');
  });
});
