import type { BotResource } from '@flotilla/contract/bots.ts';
import type { TagResource } from '@flotilla/contract/tags.ts';
import { type RestAnswer, type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';

const CHAT = -1_001_000_000_001;
const USER = 71;

const api = testApi();
let owner: RestClient;
let stranger: RestClient;
let bot: BotResource;
let other: BotResource;

beforeAll(async () => {
  [bot, other] = [await api.addBot(), await api.addBot()];
  const { db } = api.database;
  owner = restClient(api.url, (await insertAccount(db, { username: 'owner', bots: [bot.id] })).key);
  stranger = restClient(api.url, (await insertAccount(db, { username: 'stranger', bots: [other.id] })).key);
});

const add = (fields: object, client = owner) =>
  client('POST', '/api/tags/add', { body: { bot_id: bot.id, chat_id: CHAT, user_id: USER, ...fields } });
const list = (query: Record<string, string | number> = {}, client = owner) =>
  client('GET', '/api/tags', { query: { bot_id: bot.id, chat_id: CHAT, ...query } });
const remove = (id: number, client = owner) => client('POST', '/api/tags/remove', { body: { id } });
const tagsOf = (answer: RestAnswer) => (answer.json as TagResource[]).map(({ tag }) => tag);

describe('a tag', () => {
  test('is added with the name the user was last seen with, begins to track the chat, and is removed', async () => {
    await api.database.db
      .insertInto('chat_users')
      .values({ bot_id: bot.id, chat_id: CHAT, user_id: USER, username: 'seen', first_name: null, last_name: null })
      .execute();
    const added = await add({ tag: 'VIP ⭐', color: '#fF8800' });
    expect(added.json).toEqual({
      id: expect.any(Number),
      chat_id: CHAT,
      user_id: USER,
      username: 'seen',
      tag: 'VIP ⭐',
      color: '#fF8800',
      created_at: expect.stringMatching(/Z$/),
    });
    expect((await list()).json).toEqual([added.json]);
    const chats = await owner('GET', '/api/chats', { query: { bot_id: bot.id } });
    const seen = { id: CHAT, bot_id: bot.id, type: 'supergroup', message_count: 0, blocked: false };
    expect(chats.json).toEqual([{ ...seen, state: 'open', awaits_answer: false }]);

    const { id } = added.json as TagResource;
    expect((await remove(id)).json).toEqual({ ok: true });
    expect((await list()).json).toEqual([]);
    // To a user, what does not exist and what is not theirs answer alike.
    expect(await remove(id)).toMatchObject({ status: 403, json: { code: 'forbidden' } });
  });

  test('can be added as it was listed of another user, and is 409 the second time, also for two at once', async () => {
    const first = (await add({ tag: 'again', username: 'ada' })).json as TagResource;
    expect((await add({ ...first, user_id: 72 })).json).toMatchObject({ user_id: 72, username: 'ada' });
    expect(await add({ tag: 'again' })).toMatchObject({ status: 409, json: { code: 'conflict' } });
    const statuses = (await Promise.all([add({ tag: 'race' }), add({ tag: 'race' })])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 409]);
    expect((await add({ tag: 'again', bot_id: other.id }, stranger)).status).toBe(200);
    expect((await add({ tag: 'again', chat_id: CHAT - 1 })).status).toBe(200);
  });

  test.each([
    ['no tag', { color: '#000000' }, 'tag'],
    ['a blank tag', { tag: '  ' }, 'tag'],
    ['a colour by name', { tag: 'x', color: 'red' }, 'color'],
    ['a colour of three digits', { tag: 'x', color: '#abc' }, 'color'],
    ['a user id beyond 2^53', { tag: 'x', user_id: '9007199254740993' }, 'user_id'],
  ])('is refused with %s', async (_title, fields, path) => {
    expect(await add(fields)).toMatchObject({ status: 400, json: { details: [{ path }] } });
  });

  test('is out of reach for who does not see its bot, whatever else is wrong', async () => {
    const { id } = (await add({ tag: 'private' })).json as TagResource;
    expect(await remove(id, stranger)).toMatchObject({ status: 403, json: { code: 'forbidden' } });
    const answer = await stranger('POST', '/api/tags/remove', { body: { id, tyop: 1 } });
    expect(answer.status).toBe(403);
    expect(tagsOf(await list())).toContain('private');
    expect(await remove(999_999, stranger)).toMatchObject({ status: 403, json: { code: 'forbidden' } });
  });
});

describe('listing tags', () => {
  test('pages oldest first by offset and by cursor while tags are added', async () => {
    const chat_id = CHAT - 7;
    for (let at = 1; at <= 5; at += 1) await add({ chat_id, tag: `t${at}` });
    expect(tagsOf(await list({ chat_id, offset: 1, limit: 2 }))).toEqual(['t2', 't3']);
    const first = await list({ chat_id, limit: 2 });
    expect([tagsOf(first), first.headers.get('x-total-count')]).toEqual([['t1', 't2'], '5']);
    await add({ chat_id, tag: 't6' });
    const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    expect(tagsOf(await owner('GET', next))).toEqual(['t3', 't4']);
    expect(tagsOf(await list({ chat_id }))).toHaveLength(6);
    expect((await list({ before: 'nonsense' })).json).toMatchObject({ details: [{ path: 'before' }] });
  });

  test('answers 10,000 at most, and the cursor leads to the rest', async () => {
    const chat_id = CHAT - 9;
    await add({ chat_id, tag: 'first' });
    const further = Array.from({ length: 10_000 }, (_, at) => ({ tag: `tag ${at}`, color: '#000000', user_id: USER }));
    const rows = further.map((tag) => ({ ...tag, bot_id: bot.id, chat_id, username: null }));
    await api.database.db.insertInto('tags').values(rows).execute();
    for (const query of [{ chat_id }, { chat_id, limit: 20_000 }]) {
      const first = await list(query);
      expect([tagsOf(first).length, first.headers.get('x-total-count')]).toEqual([10_000, '10001']);
      const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
      const rest = await owner('GET', next);
      expect([tagsOf(rest).length, rest.headers.get('link')]).toEqual([1, null]);
    }
  });

  test('of one user shows that user’s in that chat', async () => {
    const chat_id = CHAT - 8;
    await add({ chat_id, tag: 'mine' });
    await add({ chat_id, tag: 'theirs', user_id: 99 });
    const ofUser = (user_id: number) => owner('GET', '/api/tags/user', { query: { bot_id: bot.id, chat_id, user_id } });
    expect(tagsOf(await ofUser(USER))).toEqual(['mine']);
    expect(tagsOf(await ofUser(1))).toEqual([]);
    // Only this bot tracks the chat, so the request need not name a bot.
    expect(tagsOf(await owner('GET', '/api/tags', { query: { chat_id } }))).toEqual(['mine', 'theirs']);
  });
});
