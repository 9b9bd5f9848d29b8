import type { AuditEntryResource } from '@flotilla/contract/audit.ts';
import type { BotResource } from '@flotilla/contract/bots.ts';
import type { ChatResource } from '@flotilla/contract/chats.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { lockLimit } from '@flotilla/database/lock-limit.ts';
import { historyChatStore } from '@flotilla/domain/records/history/history-chat-store.ts';
import { askBeforeCommit } from '@flotilla/testing/locked-table.ts';
import { type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { type StoredMessage, storeMessages } from '@flotilla/testing/stored-messages.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { beforeEach, describe, expect, test } from '@jest/globals';

const DATE_S = 1_770_000_000;
const api = testApi();
let bot: BotResource;
let ada: { client: RestClient; id: number };
let bob: { client: RestClient; id: number };
/** Has another bot. */
let eve: { client: RestClient; id: number };
let accounts = 0;

beforeEach(async () => {
  bot = await api.addBot();
  const other = await api.addBot();
  [ada, bob, eve] = [await newAccount([bot.id, other.id]), await newAccount([bot.id]), await newAccount([other.id])];
});

async function newAccount(bots: number[]): Promise<{ client: RestClient; id: number }> {
  accounts += 1;
  const { id, key } = await insertAccount(api.database.db, { username: `desk-${accounts}`, bots });
  return { client: restClient(api.url, key), id };
}

const store = (...messages: (Partial<StoredMessage> & { chat_id: number; at: number })[]) =>
  storeMessages(
    api.database.db,
    bot.id,
    messages.map(({ at, ...message }) => ({ id: at, date: DATE_S + at, text: `at ${at}`, ...message })),
  );
const listed = async (query: Record<string, string | number | boolean> = {}, client = ada.client) =>
  (await client('GET', '/api/chats', { query: { bot_id: bot.id, order: 'recent', ...query } })).json as ChatResource[];
const idsOf = (chats: ChatResource[]) => chats.map(({ id }) => id).toSorted((a, b) => a - b);
const act = (path: string, body: object, client = ada.client) =>
  client('POST', `/api/chats/${path}`, { body: { bot_id: bot.id, ...body } });
const newest = async () =>
  ((await api.admin('GET', '/api/adminlog', { query: { bot_id: bot.id } })).json as AuditEntryResource[])[0];

describe('a chat that awaits an answer', () => {
  test('is one whose newest message of a person came after those of the bot', async () => {
    await store({ chat_id: 1, at: 1 }, { chat_id: 2, at: 1 }, { chat_id: 2, at: 2, outgoing: true });
    await store({ chat_id: 3, at: 1, outgoing: true }, { chat_id: 3, at: 2, service: 'joined' });
    await store({ chat_id: 4, at: 1, outgoing: true }, { chat_id: 4, at: 2, service: 'location' });
    await store({ chat_id: 5, at: 1, id: -7, media_type: 'callback' });
    await store({ chat_id: 6, at: 1 }, { chat_id: 6, at: 2, outgoing: true, service: 'widget' });
    await store({ chat_id: 6, at: 3, id: -8, service: 'widget_query' });
    expect(idsOf(await listed({ awaits_answer: true }))).toEqual([1, 4]);
    expect(idsOf(await listed({ awaits_answer: false }))).toEqual([2, 3, 5, 6]);
    expect(idsOf(await listed({ awaits_answer: true, order: 'id' }))).toEqual([1, 4]);
    await store({ chat_id: 2, at: 3 }, { chat_id: 1, at: 3, outgoing: true });
    expect(idsOf(await listed({ awaits_answer: true }))).toEqual([2, 4]);
  });

  test('is no channel', async () => {
    const channel = {
      type: 'channel',
      title: 'News',
      username: null,
      first_name: null,
      last_name: null,
      added: 0,
      last_id: 0,
      direct: null,
    };
    await historyChatStore(api.database.db).upsertChats([{ ...channel, bot_id: bot.id, id: -1, newest: null }]);
    await store({ chat_id: -1, at: 1 });
    expect(await listed()).toMatchObject([{ id: -1, awaits_answer: false }]);
  });
});

describe('a chat that is done', () => {
  test('is opened by the next message of a person, and by nothing else', async () => {
    await store({ chat_id: 1, at: 1 }, { chat_id: 2, at: 1 });
    expect((await act('done', { chat_id: 1 })).json).toMatchObject({ id: 1, state: 'done', awaits_answer: false });
    expect(await newest()).toMatchObject({ action: 'chat_done', chat_id: 1, actor_id: ada.id });
    await store({ chat_id: 1, at: 2, outgoing: true }, { chat_id: 1, at: 3, service: 'pinned' });
    expect([idsOf(await listed({ state: 'done' })), idsOf(await listed({ state: 'open' }))]).toEqual([[1], [2]]);
    await store({ chat_id: 1, at: 4 });
    expect([idsOf(await listed({ state: 'done' })), idsOf(await listed({ state: 'open' }))]).toEqual([[], [1, 2]]);
  });

  test('is opened by whoever has the bot', async () => {
    await store({ chat_id: 1, at: 1, outgoing: true });
    await act('done', { chat_id: 1 });
    expect((await act('reopen', { chat_id: 1 }, eve.client)).status).toBe(403);
    expect(await listed()).toMatchObject([{ state: 'done' }]);
    expect((await act('reopen', { chat_id: 1 }, bob.client)).json).toMatchObject({ state: 'open' });
    expect(await newest()).toMatchObject({ action: 'chat_reopen', actor_id: bob.id });
    expect((await act('done', { chat_id: 99 })).status).toBe(404);
  });
});

describe('the account that looks after a chat', () => {
  test('is one that has the bot, and is found by', async () => {
    await store({ chat_id: 1, at: 1 }, { chat_id: 2, at: 1 }, { chat_id: 3, at: 1 });
    const given = await act('assign', { chat_id: 1, account_id: bob.id });
    expect(given.json).toMatchObject({ id: 1, assigned_to: bob.id, assigned_to_name: expect.stringMatching(/^desk-/) });
    expect(await newest()).toMatchObject({ action: 'chat_assign', chat_id: 1, target_id: bob.id });
    await act('assign', { chat_id: 2, account_id: ada.id });
    expect(idsOf(await listed({ assigned_to: bob.id }))).toEqual([1]);
    expect(idsOf(await listed({ assigned_to: 'me' }))).toEqual([2]);
    expect(idsOf(await listed({ assigned_to: 'me', order: 'id' }, bob.client))).toEqual([1]);
    expect(idsOf(await listed({ assigned_to: 'none' }))).toEqual([3]);
    for (const id of [eve.id, 999_999]) {
      const refused = await act('assign', { chat_id: 3, account_id: id });
      expect(refused).toMatchObject({ status: 400, json: { details: [{ path: 'account_id' }] } });
    }
    const assignees = (await ada.client('GET', '/api/chats/assignees', { query: { bot_id: bot.id } })).json;
    const ids = (assignees as { id: number }[]).map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([ada.id, bob.id]));
    expect(ids).not.toContain(eve.id);
    expect((await act('assign', { chat_id: 1, account_id: null })).json).not.toHaveProperty('assigned_to');
    expect(await newest()).toMatchObject({ details: expect.stringMatching(/^assigned to: desk-\d+ → nobody$/) });
  });

  test('loses it with the bot, and when it is deleted', async () => {
    await store({ chat_id: 1, at: 1 }, { chat_id: 2, at: 1 });
    await act('assign', { chat_id: 1, account_id: bob.id });
    await act('assign', { chat_id: 2, account_id: ada.id });
    await api.admin('POST', '/api/auth/users/update', { body: { id: bob.id, bot_ids: [] } });
    expect(idsOf(await listed({ assigned_to: 'none' }))).toEqual([1]);
    await api.admin('POST', '/api/auth/users/delete', { body: { id: ada.id } });
    expect(idsOf(await listed({ assigned_to: 'none' }, api.admin))).toEqual([1, 2]);
  });
});

describe('saved replies', () => {
  const add = (body: object, client = ada.client) =>
    client('POST', '/api/replies/add', { body: { name: 'Hello', text: 'Hello {first_name}', ...body } });
  const names = async (client: RestClient, query = {}) =>
    ((await client('GET', '/api/replies', { query })).json as { name: string }[]).map(({ name }) => name);

  test('are seen and changed by who has their bots', async () => {
    await api.database.db.deleteFrom('replies').execute();
    const { id } = (await add({ bot_ids: [bot.id] })).json as { id: number };
    expect((await add({ bot_ids: null })).status).toBe(403);
    expect((await add({ bot_ids: [bot.id] }, eve.client)).status).toBe(403);
    const ofAll = (await add({ name: 'All', bot_ids: null, parse_mode: 'html' }, api.admin)).json as { id: number };
    expect(ofAll).toMatchObject({ bot_ids: null, parse_mode: 'HTML' });
    expect(await names(ada.client)).toEqual(['All', 'Hello']);
    expect(await names(bob.client, { bot_id: bot.id })).toEqual(['All', 'Hello']);
    expect(await names(eve.client)).toEqual(['All']);
    const update = (of: number, client: RestClient) =>
      client('POST', '/api/replies/update', { body: { id: of, name: 'Hi' } });
    expect([(await update(id, eve.client)).status, (await update(ofAll.id, ada.client)).status]).toEqual([403, 403]);
    expect((await update(id, bob.client)).json).toMatchObject({ name: 'Hi', text: 'Hello {first_name}' });
    const deleted = (client: RestClient) => client('POST', '/api/replies/delete', { body: { id } });
    expect([(await deleted(eve.client)).status, (await deleted(ada.client)).status]).toEqual([403, 200]);
    expect(await names(ada.client)).toEqual(['All']);
  });

  test('of several bots are changed by who has all of them, and name those that the caller has', async () => {
    const [first, second] = [bot.id, (await api.addBot()).id];
    const { id } = (await add({ name: 'Two', bot_ids: [first, second] }, api.admin)).json as { id: number };
    const shown = (await bob.client('GET', '/api/replies', { query: { bot_id: first } })).json as { id: number }[];
    expect(shown.find((reply) => reply.id === id)).toMatchObject({ bot_ids: [first] });
    expect((await bob.client('POST', '/api/replies/delete', { body: { id } })).status).toBe(403);
  });

  test('are a thousand at most, also where the last two are saved at the same time', async () => {
    const { db } = api.database;
    await db.deleteFrom('replies').execute();
    const filled = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `No. ${at}`, text: 'Hi' }));
    await db.insertInto('replies').values(filled(999)).execute();
    const saveLast = async (transaction: Database) => {
      await lockLimit(transaction, 'saved replies');
      await transaction.insertInto('replies').values(filled(1)).execute();
    };
    const answer = await askBeforeCommit(db, saveLast, () => add({ bot_ids: [bot.id] }));
    expect(answer).toMatchObject({ status: 409, json: { code: 'conflict' } });
    await db.deleteFrom('replies').execute();
  });
});

describe('the queues of the inbox', () => {
  test('count what they list, and who has waited longest comes first, since the first message that is not answered', async () => {
    await store({ chat_id: 1, at: 10 }, { chat_id: 1, at: 11, outgoing: true }, { chat_id: 1, at: 30 });
    await store({ chat_id: 2, at: 20 }, { chat_id: 2, at: 40 }, { chat_id: 3, at: 5 }, { chat_id: 4, at: 6 });
    await act('assign', { chat_id: 2, account_id: ada.id });
    await act('done', { chat_id: 3 });
    await act('takeover', { chat_id: 4, minutes: 30 });
    const counts = (await ada.client('GET', '/api/chats/queues', { query: { bot_ids: bot.id } })).json;
    expect(counts).toEqual({ waiting: 3, mine: 1, unassigned: 2, held: 1, done: 1, all: 4 });
    for (const [queue, count] of Object.entries(counts as object)) {
      expect([queue, (await listed({ queue })).length]).toEqual([queue, count]);
    }
    const waiting = await listed({ queue: 'waiting', order: 'waiting' });
    expect(waiting.map(({ id }) => id)).toEqual([4, 2, 1]);
    expect(waiting.map(({ waiting_since: at }) => Date.parse(at!) / 1000 - DATE_S)).toEqual([6, 20, 30]);
    expect(idsOf(await listed({ queue: 'waiting', order: 'waiting', limit: 1, offset: 1 }))).toEqual([2]);
    expect((await ada.client('GET', '/api/chats', { query: { queue: 'mine', state: 'done' } })).status).toBe(400);
    expect((await eve.client('GET', '/api/chats/queues')).json).toMatchObject({ all: 0 });
  });

  test('are narrowed by tags, and a filter is saved as a view of its account', async () => {
    await store({ chat_id: 1, at: 1 }, { chat_id: 2, at: 1 });
    await ada.client('POST', '/api/tags/add', { body: { bot_id: bot.id, chat_id: 2, user_id: 2, tag: 'Refund' } });
    expect(idsOf(await listed({ queue: 'waiting', tag: 'refund' }))).toEqual([2]);
    const view = { name: 'Refunds', filter: { queue: 'waiting', tag: 'refund' } };
    const added = (await ada.client('POST', '/api/chats/views/add', { body: view })).json as { id: number };
    await ada.client('POST', '/api/chats/views/add', { body: { ...view, filter: { queue: 'mine' } } });
    const views = async ({ client }: typeof ada) => (await client('GET', '/api/chats/views')).json;
    expect(await views(ada)).toMatchObject([{ id: added.id, filter: { queue: 'mine' } }]);
    expect(await views(bob)).toEqual([]);
    const remove = ({ client }: typeof ada) => client('POST', '/api/chats/views/delete', { body: { id: added.id } });
    expect([(await remove(bob)).status, (await remove(ada)).status, await views(ada)]).toEqual([404, 200, []]);
  });
});
