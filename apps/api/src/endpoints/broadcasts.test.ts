import type { AuditEntryResource } from '@flotilla/contract/audit.ts';
import type { BotResource } from '@flotilla/contract/bots.ts';
import type { BroadcastResource } from '@flotilla/contract/broadcasts.ts';
import { type ChatListResource, MOST_CHAT_LISTS } from '@flotilla/contract/lists.ts';
import { openLive } from '@flotilla/testing/live-client.ts';
import { type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { ADMIN_KEY, testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';

const api = testApi();
let bot: BotResource;
/** Users of the bot, with the right and without it. */
let grace: RestClient;
let ada: RestClient;

beforeAll(async () => {
  bot = await api.addBot();
  const { db } = api.database;
  const bots = [bot.id];
  grace = restClient(api.url, (await insertAccount(db, { username: 'grace', bots, rights: ['broadcast'] })).key);
  ada = restClient(api.url, (await insertAccount(db, { username: 'ada', bots })).key);
  await db
    .insertInto('chats')
    .values(
      [5, 6, 7].map((id) => ({
        ...{ bot_id: bot.id, id, type: 'private', last_incoming_date: 1_780_000_000, last_incoming_id: 1 },
        blocked_at: id === 7 ? new Date() : null,
      })),
    )
    .execute();
});
beforeEach(() => api.database.db.deleteFrom('broadcasts').execute());

const wanted = (fields: object = {}) => ({
  ...{ bot_id: bot.id, name: 'News', audience: { chat_types: ['private'] } },
  ...{ method: 'sendmessage', params: { text: 'Hi' } },
  ...fields,
});
const add = async (fields: object = {}): Promise<BroadcastResource> => {
  const answer = await grace('POST', '/api/broadcasts/add', { body: wanted(fields) });
  expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: expect.any(String) });
  return answer.json as BroadcastResource;
};
const act = (name: 'pause' | 'resume' | 'cancel', id: number) =>
  grace('POST', `/api/broadcasts/${name}`, { body: { id } });
const listed = async (query: Record<string, string> = {}) =>
  (await ada('GET', '/api/broadcasts', { query })).json as BroadcastResource[];
const newestEntry = async () =>
  ((await api.admin('GET', '/api/adminlog', { query: { bot_id: bot.id, limit: 1 } })).json as AuditEntryResource[])[0];

test('a dry run counts the audience and who of it is blocked, and stores nothing', async () => {
  const before = await newestEntry();
  const answer = await add({ dry_run: true });
  expect(answer).toMatchObject({
    method: 'sendMessage',
    state: 'running',
    counts: { total: 2, queued: 2, blocked: 1 },
  });
  expect(answer).not.toHaveProperty('id');
  expect([await listed(), await newestEntry()]).toEqual([[], before]);
});

test('a user with the right makes, pauses, resumes and cancels one; every user of the bot sees it', async () => {
  const { id, created_by, state, audience } = await add({ per_second: 3 });
  expect({ created_by, state, audience }).toEqual({
    ...{ created_by: 'grace', state: 'running' },
    audience: { chat_types: ['private'], exclude_blocked: true },
  });
  expect(await newestEntry()).toMatchObject({
    ...{ action: 'broadcast_add', actor_username: 'grace' },
    details: expect.stringContaining(`broadcast ${id}; name: "News"; method: "sendMessage"`),
  });
  expect((await act('pause', id)).json).toMatchObject({ id, state: 'paused' });
  expect(await newestEntry()).toMatchObject({ action: 'broadcast_pause', details: `broadcast ${id}` });
  expect(await act('pause', id)).toMatchObject({
    status: 409,
    json: { error: 'A broadcast that is paused cannot be paused' },
  });
  expect((await act('resume', id)).json).toMatchObject({ id, state: 'running' });
  expect((await act('cancel', id)).json).toMatchObject({ id, state: 'cancelled' });
  expect((await act('resume', id)).status).toBe(409);
  expect((await listed({ state: 'cancelled' })).map((one) => one.id)).toEqual([id]);
  expect((await ada('GET', '/api/broadcasts/show', { query: { id } })).json).toMatchObject({ id, per_second: 3 });
  for (const [path, body] of [
    ['add', wanted()],
    ['pause', { id }],
    ['cancel', { id }],
  ] as const) {
    expect((await ada('POST', `/api/broadcasts/${path}`, { body })).status).toBe(403);
  }
});

test('a key of an admin that is narrowed to a user has no right, unless the account has it as a user', async () => {
  const body = { name: 'narrow', role: 'user', bot_ids: [bot.id] };
  const { key } = (await api.admin('POST', '/api/auth/api-keys', { body })).json as { key: string };
  const answer = await restClient(api.url, key)('POST', '/api/broadcasts/add', { body: wanted({ dry_run: true }) });
  expect(answer).toMatchObject({ status: 403, json: { error: 'The right `broadcast` is required' } });
});

test('shows why chats did not get it, the most frequent reason first', async () => {
  const { id } = await add();
  const BLOCKED = { state: 'failed', error_code: 403, error: 'Forbidden: bot was blocked by the user' } as const;
  const LOST = { state: 'in_doubt', error: 'The answer was lost' } as const;
  const entries = [LOST, BLOCKED, BLOCKED, { state: 'sent' } as const].map((fields, at) => ({
    ...{ bot_id: bot.id, broadcast_id: id, chat_id: at + 1, method: 'sendMessage', params: {}, ...fields },
    settled_at: new Date(),
  }));
  await api.database.db.insertInto('outbox').values(entries).execute();
  const { json } = await ada('GET', '/api/broadcasts/show', { query: { id } });
  const failures = [
    { ...BLOCKED, count: 2 },
    { ...LOST, count: 1 },
  ];
  expect(json).toMatchObject({ id, failures });
});

test('one that was paused before its time waits for it again', async () => {
  const { id } = await add({ send_at: Math.floor(Date.now() / 1000) + 3_600 });
  expect((await act('pause', id)).json).toMatchObject({ state: 'paused' });
  expect((await act('resume', id)).json).toMatchObject({ state: 'scheduled' });
  await act('pause', id);
  await api.database.db.updateTable('broadcasts').set({ send_at: new Date() }).where('id', '=', id).execute();
  expect((await act('resume', id)).json).toMatchObject({ state: 'running', started_at: expect.any(String) });
});

test('one that has not begun can be changed, and then goes out by the right of who changed it', async () => {
  const later = Math.floor(Date.now() / 1000) + 3_600;
  const { id } = await add({ send_at: later, per_second: 3 });
  const body = { id, params: { text: 'Hello' }, audience: { chat_ids: [5], exclude_blocked: true }, per_second: null };
  const answer = (await api.admin('POST', '/api/broadcasts/update', { body })).json;
  expect(answer).toMatchObject({ id, state: 'scheduled', params: { text: 'Hello' }, audience: { chat_ids: [5] } });
  expect(answer).toMatchObject({ name: 'News', created_by: 'admin' });
  expect(answer).not.toHaveProperty('per_second');
  expect(await newestEntry()).toMatchObject({
    action: 'broadcast_update',
    details: expect.stringContaining('params changed'),
  });
  const update = (fields: object) => grace('POST', '/api/broadcasts/update', { body: { id, ...fields } });
  expect((await update({ params: { text: 'Hi {firstname}' } })).json).toMatchObject({
    details: [{ path: 'params.text' }],
  });
  await act('pause', id);
  expect((await update({ send_at: later + 60 })).json).toMatchObject({ state: 'paused', created_by: 'grace' });
  await act('resume', id);
  expect((await update({ send_at: null })).json).toMatchObject({ state: 'running', started_at: expect.any(String) });
  expect(await update({ name: 'Late' })).toMatchObject({ status: 409 });
  expect((await ada('POST', '/api/broadcasts/update', { body: { id, name: 'Mine' } })).status).toBe(403);
});

test('a list is filled in pages that may be sent again, and only its account and admins see it', async () => {
  const list = (await grace('POST', '/api/lists/add', { body: { name: 'Customers' } })).json as ChatListResource;
  const append = (chat_ids: number[], by = grace) =>
    by('POST', '/api/lists/append', { body: { id: list.id, chat_ids } });
  const page = Array.from({ length: 10_000 }, (_, at) => at + 1);
  expect((await append(page)).json).toMatchObject({ size: 10_000 });
  expect((await append(page)).json).toMatchObject({ size: 10_000 });
  expect((await append([...page, 10_001])).status).toBe(400);
  const counted = await add({ dry_run: true, audience: { list_id: list.id, exclude_blocked: false } });
  expect(counted.counts).toMatchObject({ total: 3 });
  const joan = restClient(
    api.url,
    (await insertAccount(api.database.db, { username: 'joan', bots: [bot.id], rights: ['broadcast'] })).key,
  );
  expect((await append([5], joan)).status).toBe(404);
  expect((await joan('GET', '/api/lists')).json).toEqual([]);
  const stolen = await joan('POST', '/api/broadcasts/add', { body: wanted({ audience: { list_id: list.id } }) });
  expect(stolen.json).toMatchObject({ details: [{ path: 'audience.list_id', reason: 'must be a list of yours' }] });
  expect((await append([5], ada)).status).toBe(403);
  expect((await api.admin('GET', '/api/lists')).json).toMatchObject([{ id: list.id, created_by: 'grace' }]);
  const remove = () => grace('POST', '/api/lists/delete', { body: { id: list.id } });
  const waiting = await add({ audience: { list_id: list.id }, send_at: Math.floor(Date.now() / 1000) + 3_600 });
  expect((await remove()).status).toBe(409);
  await act('cancel', waiting.id);
  expect((await remove()).status).toBe(200);
  expect((await append([5])).status).toBe(404);
  // Its rows are still there.
  const { account_id } = await api.database.db
    .selectFrom('chat_lists')
    .select('account_id')
    .where('id', '=', list.id)
    .executeTakeFirstOrThrow();
  const ofGrace = { account_id, created_by: 'grace' };
  const others = Array.from({ length: MOST_CHAT_LISTS - 1 }, (_, at) => ({ name: `Other ${at}`, ...ofGrace }));
  await api.database.db.insertInto('chat_lists').values(others).execute();
  expect((await grace('POST', '/api/lists/add', { body: { name: 'One more' } })).status).toBe(409);
});

test('failures are exported with their reason, and are an audience', async () => {
  const { id } = await add();
  const failed = [5, 6].map((chat_id) => ({
    ...{ bot_id: bot.id, broadcast_id: id, chat_id, method: 'sendMessage', params: {}, state: 'failed' as const },
    ...{ error_code: 400, error: chat_id === 5 ? '=cmd' : 'Bad Request', settled_at: new Date(0) },
  }));
  await api.database.db.insertInto('outbox').values(failed).execute();
  const csv = await grace('GET', '/api/broadcasts/failures', { query: { id } });
  expect(csv.text.split('\r\n')).toEqual([
    'chat_id,username,first_name,state,error_code,error,settled_at',
    "5,,,failed,400,'=cmd,1970-01-01T00:00:00.000Z",
    '6,,,failed,400,Bad Request,1970-01-01T00:00:00.000Z',
    '',
  ]);
  expect(await newestEntry()).toMatchObject({ action: 'export', details: `failures of broadcast ${id}; csv` });
  const query = { id, format: 'ndjson', error: 'Bad Request' };
  const lines = await grace('GET', '/api/broadcasts/failures', { query });
  expect(JSON.parse(lines.text)).toMatchObject({ chat_id: 6, error: 'Bad Request' });
  const again = await add({ dry_run: true, audience: { failures_of: { broadcast_id: id, error: 'Bad Request' } } });
  expect(again.counts).toMatchObject({ total: 1 });
  expect((await ada('GET', '/api/broadcasts/failures', { query })).status).toBe(403);
});

test.each([
  ['audience', 'must name chat_ids, list_id, failures_of or chat_types', { audience: { tags: ['vip'] } }],
  ['audience', 'must name only one of chat_ids, list_id and failures_of', { audience: { chat_ids: [5], list_id: 1 } }],
  [
    'audience.failures_of.broadcast_id',
    'must be a broadcast of the same bot',
    { audience: { failures_of: { broadcast_id: 999_999 } } },
  ],
  [
    'params.text',
    'has {name|you}; what can be filled in is {first_name}, {last_name}, {username}',
    { params: { text: 'Hi {name|you}' } },
  ],
  [
    'params.caption',
    'has {username}: give a parse_mode, not entities, whose places would move',
    { method: 'sendPhoto', params: { photo: 'AAA', caption: 'Hi {username}', caption_entities: [] } },
  ],
  ['method', 'must be one that sends, copies or forwards', { method: 'editMessageText' }],
  ['method', 'must be one that sends, edits, copies or forwards', { method: 'banChatMember' }],
  ['params.chat_id', 'must not be given: the audience has the chats', { params: { chat_id: 5, text: 'Hi' } }],
  ['params', 'must not have more than 16 KiB', { params: { text: 'x'.repeat(16_384) } }],
  ['params.photo', 'must name a file by its id or a URL; an upload cannot wait', { params: { photo: 'attach://x' } }],
  ['method', 'is for admins: it is about money', { method: 'sendInvoice', params: {} }],
  ['method', 'is for admins: nothing is known of it', { method: 'sendHologram' }],
  [
    'params.allow_paid_broadcast',
    'is for admins: it can cost Stars of the bot',
    { params: { text: 'Hi', allow_paid_broadcast: true } },
  ],
  ['send_at', 'must be within a year', { send_at: 4_000_000_000 }],
])('%s is refused: it %s', async (path, reason, fields) => {
  for (const dry_run of [true, false]) {
    const answer = await grace('POST', '/api/broadcasts/add', { body: wanted({ ...fields, dry_run }) });
    expect(answer).toMatchObject({ status: 400, json: { details: [{ path, reason }] } });
  }
});

test('a bot has twenty unfinished ones at most', async () => {
  for (let count = 0; count < 20; count += 1) await add();
  const answer = await grace('POST', '/api/broadcasts/add', { body: wanted() });
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '60']);
});

test('who watches the bot sees that one was paused', async () => {
  const { id } = await add();
  const live = await openLive(api.url, `bot:${bot.id}`, { key: ADMIN_KEY });
  await act('pause', id);
  await waitFor(() => live.named('broadcast').length > 0);
  expect(live.named('broadcast')[0]?.data).toMatchObject({ bot_id: bot.id, id, state: 'paused', counts: { total: 0 } });
  live.close();
});
