import type { BotResource } from '@flotilla/contract/bots.ts';
import type { DeliveryResource } from '@flotilla/contract/deliveries.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { lockLimit } from '@flotilla/database/lock-limit.ts';
import type { RetryRecord } from '@flotilla/domain/delivery/lanes/retry-schedule.ts';
import { attemptLine } from '@flotilla/domain/records/journal/attempt-line.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { type BackendHandler, startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { askBeforeCommit } from '@flotilla/testing/locked-table.ts';
import { administer } from '@flotilla/testing/postgres.ts';
import { type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { ADMIN_KEY, testApi } from '@flotilla/testing/test-api.ts';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

const api = testApi();
const BACKEND_URL = 'http://127.0.0.1:9/';
const NO_BACKEND = 'The bot has no backend to send to, and no long polling';
const DEAD_AT = Date.parse('2026-01-02T10:00:00Z');
/** Of the admin. */
const UNFINISHED_JOB = {
  ...{ account_id: 1, action: 'discard' as const, filter: '{}', actor: '{}', upto_id: 0, matched: 0 },
  ...{ bot_ids: null, audited_bot: null, resume_at: new Date(), finished_at: null },
};
let redis: RedisHandles;
let bots: BotResource[];
/** Has the first and the second bot; a key of it is limited to the second. */
let ada: RestClient;
let adasKey: RestClient;
let stranger: RestClient;

beforeAll(async () => {
  redis = await connectRedis({ url: api.redis.url, log: { warn: () => {} } });
  api.endBefore(() => redis.close());
  bots = [];
  for (let made = 0; made < 3; made += 1)
    bots.push(await api.addBot({ proxy_enabled: true, backend_url: BACKEND_URL }));
  const { db } = api.database;
  ada = restClient(api.url, (await insertAccount(db, { username: 'ada', bots: [bot(0), bot(1)] })).key);
  const made = await ada('POST', '/api/auth/api-keys', { body: { name: 'limited', bot_ids: [bot(1)] } });
  adasKey = restClient(api.url, (made.json as { key: string }).key);
  stranger = restClient(api.url, (await insertAccount(db, { username: 'stranger' })).key);
});
afterEach(async () => {
  await api.database.db.deleteFrom('dead_letters').execute();
  for (const { id } of bots) await redis.commands.del(botKeys(id).work, botKeys(id).rulesWork);
});

const bot = (at: number): number => bots[at]!.id;

type Letter = {
  bot?: number;
  reader?: string;
  updateId: number;
  code?: string;
  status?: number;
  reason?: string;
};
async function giveUp(...letters: Letter[]): Promise<number[]> {
  const rows = letters.map(({ bot: at = 0, reader = 'push', updateId, code = 'refused', status, reason = 'x' }) => ({
    ...{ bot_id: bot(at), reader, update_id: updateId, payload: `{"update_id":${updateId}}`, reason },
    ...{ reason_code: code, attempts: 3, last_status: status ?? null, created_at: new Date(DEAD_AT + updateId * 1000) },
  }));
  const stored = await api.database.db.insertInto('dead_letters').values(rows).returning('id').execute();
  return stored.map(({ id }) => id);
}

/** The failed tries of push or rules, as their turns leave them in Redis. */
async function failing(at: number, reader: 'push' | 'rules', records: Record<string, Partial<RetryRecord>>) {
  const keys = botKeys(bot(at));
  const record: RetryRecord = {
    ...{ attempts: 2, doublings: 2, lastStatus: 502, lastError: 'Wrong response: 502 Bad Gateway' },
    ...{ reasonCode: 'refused', firstFailedAtMs: DEAD_AT, lastFailedAtMs: DEAD_AT, nextTryAtMs: DEAD_AT },
    expiresAtMs: DEAD_AT + 86_400_000,
  };
  const fields = Object.entries(records).map(
    ([id, own]) => [`r:${id}`, JSON.stringify({ ...record, ...own })] as const,
  );
  const [work, pending] = reader === 'push' ? [keys.work, 'pushPending'] : [keys.rulesWork, 'rulesPending'];
  await redis.commands.hset(work, Object.fromEntries(fields));
  await redis.commands.hset(keys.state, pending, fields.length);
}

type Listed = { rows: DeliveryResource[]; total: number; link: string | null };
async function list(client: RestClient, query: Record<string, string> = {}): Promise<Listed> {
  const answer = await client('GET', '/api/deliveries', { query });
  expect(answer.status).toBe(200);
  return {
    rows: answer.json as DeliveryResource[],
    total: Number(answer.headers.get('x-total-count')),
    link: answer.headers.get('link'),
  };
}
const found = async (query: Record<string, string>, client = api.admin) =>
  (await list(client, query)).rows.map(({ update_id: id }) => id);

describe('the list over all bots', () => {
  test('has what the caller sees: an account its bots, a limited key its own, a stranger nothing', async () => {
    await giveUp({ bot: 0, updateId: 1 }, { bot: 1, updateId: 2 }, { bot: 2, updateId: 3 });
    await failing(0, 'push', { 10: {} });
    await failing(1, 'rules', { 11: {} });
    await failing(2, 'push', { 12: {} });
    expect((await found({})).sort((one, other) => one - other)).toEqual([1, 2, 3, 10, 11, 12]);
    expect((await found({}, ada)).sort((one, other) => one - other)).toEqual([1, 2, 10, 11]);
    expect(await found({}, adasKey)).toEqual([11, 2]);
    expect(await list(stranger)).toEqual({ rows: [], total: 0, link: null });
    expect((await list(ada)).total).toBe(4);
    const refused = await adasKey('GET', '/api/deliveries', { query: { bot_id: bot(0) } });
    expect(refused).toMatchObject({ status: 403, json: { code: 'forbidden' } });
  });

  test('shows no dead letters of a deleted bot, and those of an unreadable bot to who sees all bots', async () => {
    await giveUp({ updateId: 1 });
    const row = { reader: 'history', payload: '{}', reason: 'x', reason_code: 'unstorable', attempts: 1 };
    await api.database.db
      .insertInto('dead_letters')
      .values([
        { ...row, bot_id: 999_999, update_id: 2 },
        { ...row, bot_id: 0, update_id: 3 },
      ])
      .execute();
    expect(await found({})).toEqual([3, 1]);
    expect(await found({}, ada)).toEqual([1]);
  });

  test('is narrowed by each filter, for dead letters and for what is retried', async () => {
    await giveUp(
      { updateId: 1, status: 502, reason: 'Wrong response from the webhook: 502 Bad Gateway' },
      { updateId: 2, code: 'timed_out', reason: 'Read timeout expired', bot: 1 },
      { updateId: 3, reader: 'rules', code: 'destination_failed', status: 400, reason: 'Bad Request: chat not found' },
      { updateId: 4, reader: 'history', code: 'of_later', reason: '100% of_it' },
    );
    await failing(0, 'push', { 20: { lastFailedAtMs: DEAD_AT + 20_000 } });
    await failing(1, 'rules', {
      21: { lastStatus: null, reasonCode: 'timed_out', lastError: 'Read timeout expired', lastFailedAtMs: DEAD_AT - 1 },
    });
    const sorted = async (query: Record<string, string>) => (await found(query)).sort((one, other) => one - other);
    expect(await sorted({ reader: 'rules' })).toEqual([3, 21]);
    expect(await sorted({ reader: 'history' })).toEqual([4]);
    expect(await sorted({ reason_code: 'refused' })).toEqual([1, 20]);
    expect(await sorted({ reason_code: 'unknown' })).toEqual([4]);
    expect(await sorted({ status: '502' })).toEqual([1, 20]);
    expect(await sorted({ status: '4xx' })).toEqual([3]);
    expect(await sorted({ status: '0' })).toEqual([2, 4, 21]);
    expect(await sorted({ since: '2026-01-02T10:00:03Z' })).toEqual([3, 4, 20]);
    expect(await sorted({ until: String(DEAD_AT / 1000 + 2) })).toEqual([1, 21]);
    expect(await sorted({ q: 'bad gateway' })).toEqual([1, 20]);
    expect(await sorted({ q: '502' })).toEqual([1, 20]);
    expect(await sorted({ q: '21' })).toEqual([21]);
    expect(await sorted({ q: '100% OF_it' })).toEqual([4]);
    expect(await sorted({ q: '%' })).toEqual([4]);
    expect(await sorted({ bot_id: String(bot(1)), reason_code: 'timed_out', state: 'dead' })).toEqual([2]);
    expect((await list(api.admin, { status: '5xx' })).total).toBe(2);
  });

  test('is 400 for a time beyond the year 9999, such as one in microseconds', async () => {
    const answer = await api.admin('GET', '/api/deliveries', { query: { since: 1_767_348_900_000_000 } });
    expect(answer).toMatchObject({ status: 400, json: { details: [{ path: 'since' }] } });
  });

  test('is paged to its end by its links, over what is retried and over dead letters', async () => {
    await giveUp(...[1, 2, 3].map((updateId) => ({ updateId, bot: updateId - 1 })));
    await failing(0, 'push', { 10: { nextTryAtMs: 1 }, 12: { nextTryAtMs: 3 } });
    await failing(2, 'push', { 11: { nextTryAtMs: 2 } });
    const seen: number[] = [];
    let path = '/api/deliveries?limit=2';
    for (let pages = 0; path !== '' && pages < 9; pages += 1) {
      const answer = await api.admin('GET', path);
      expect(answer.headers.get('x-total-count')).toBe('6');
      seen.push(...(answer.json as DeliveryResource[]).map(({ update_id: id }) => id));
      path = /^<(.*)>/.exec(answer.headers.get('link') ?? '')?.[1] ?? '';
    }
    expect(seen).toEqual([10, 11, 12, 3, 2, 1]);
    expect((await list(api.admin, { limit: '2', offset: '4' })).rows.map(({ update_id: id }) => id)).toEqual([2, 1]);
  });

  test('keeps the first ten thousand that are retried, and counts all of them', async () => {
    const many = Array.from({ length: 10_500 }, (_, at) => [String(1000 + at), { nextTryAtMs: 20_000 - at }] as const);
    await failing(1, 'push', Object.fromEntries(many));
    const first = await list(api.admin, { limit: '3' });
    expect(first.total).toBe(10_500);
    expect(first.rows.map(({ update_id: id }) => id)).toEqual([11_499, 11_498, 11_497]);
    expect((await list(api.admin, { offset: '9998' })).rows).toHaveLength(2);
  });

  test.each([
    [{ status: '5x' }, 'status'],
    [{ status: '600' }, 'status'],
    [{ reader: 'pull' }, 'reader'],
    [{ reason_code: 'bad' }, 'reason_code'],
    [{ since: 'yesterday' }, 'since'],
    [{ q: '' }, 'q'],
    [{ q: 'x'.repeat(257) }, 'q'],
    [{ before: 'nonsense' }, 'before'],
  ])('refuses %j with the name of the input', async (query, field) => {
    const answer = await api.admin('GET', '/api/deliveries', { query: query as Record<string, string> });
    expect(answer).toMatchObject({ status: 400, json: { details: [{ path: field }] } });
  });
});

type Progress = {
  redriven?: number;
  matched: number;
  done: number;
  refused: number;
  refusals: { bot_id: number; reader: string; count: number; code: string; reason: string }[];
  bots?: { bot_id: number; count: number }[];
  upto_id?: number;
  job_id?: number;
  state?: string;
};
const act = (action: 'redrive' | 'discard', body: object, client = api.admin) =>
  client('POST', `/api/deliveries/${action}`, { body });
const acted = async (...call: Parameters<typeof act>): Promise<Progress> => {
  const answer = await act(...call);
  expect(answer).toMatchObject({ status: 200, json: { ok: true } });
  return answer.json as Progress;
};
const left = async (): Promise<number[]> => (await found({ state: 'dead' })).sort((one, other) => one - other);
/** The updates in the lanes of push, in their order. */
const waiting = async (at: number): Promise<string[]> => {
  const keys = botKeys(bot(at));
  const lanes = await redis.commands.zrange(keys.lanes, '0', '-1');
  return (await Promise.all(lanes.map((lane) => redis.commands.lrange(keys.lane(lane), 0, -1)))).flat();
};
type Entry = { id: number; action: string; bot_id: number; details: string; actor_username: string };
const entries = async (action: string): Promise<Entry[]> =>
  (await api.admin('GET', '/api/adminlog', { query: { action, limit: 200 } })).json as Entry[];

describe('a redrive and a discard', () => {
  test('by filter take what matches of the bots that the caller has, and each bot gets an audit entry', async () => {
    await giveUp(
      { bot: 0, updateId: 3, status: 502 },
      { bot: 0, updateId: 1, status: 503 },
      { bot: 0, updateId: 2, status: 404 },
      { bot: 1, updateId: 4, status: 500 },
      { bot: 2, updateId: 5, status: 500 },
    );
    const before = (await entries('redrive')).length;
    const answer = await acted('redrive', { filter: { status: '5xx', state: 'dead' } }, ada);
    expect(answer).toMatchObject({ redriven: 3, matched: 3, done: 3, refused: 0, refusals: [], state: 'finished' });
    expect(await left()).toEqual([2, 5]);
    expect(await waiting(0)).toHaveLength(2);
    const made = (await entries('redrive')).slice(0, -before || undefined).reverse();
    expect(made).toMatchObject([
      { bot_id: bot(0), details: 'status: "5xx"; 2 matched', actor_username: 'ada' },
      { bot_id: bot(1), details: 'status: "5xx"; 1 matched', actor_username: 'ada' },
    ]);
    const discarded = await acted('discard', { filter: {} }, adasKey);
    expect(discarded).toMatchObject({ matched: 0, done: 0 });
    expect(await acted('discard', { filter: {} }, ada)).toMatchObject({ matched: 1, done: 1, refused: 0 });
    expect(await left()).toEqual([5]);
    expect((await entries('discard'))[0]).toMatchObject({
      bot_id: bot(0),
      details: 'all failed deliveries; 1 matched',
    });
  });

  test('put updates back in their order, whatever the order of their ids', async () => {
    const payload = (id: number) => `{"update_id":${id},"message":{"chat":{"id":5}}}`;
    const ids = await giveUp(...[3, 1, 2].map((updateId) => ({ bot: 1, updateId })));
    for (const [at, id] of ids.entries()) {
      const update = api.database.db.updateTable('dead_letters').set({ payload: payload([3, 1, 2][at]!) });
      await update.where('id', '=', id).execute();
    }
    await acted('redrive', { ids });
    expect((await waiting(1)).slice(-3)).toEqual([ids[1], ids[2], ids[0]].map((id) => `r${id}`));
  });

  test('their updates are shown, as those in memory are; nothing is shown of what is not kept', async () => {
    await giveUp({ updateId: 1 });
    await redis.commands.xadd(botKeys(bot(0)).log, '2-0', 'k', 'message', 'u', '{"update_id":2,"in":"memory"}');
    const show = (client: RestClient, id: number) =>
      client('GET', '/api/deliveries/update', { query: { bot_id: bot(0), update_id: id } });
    expect((await show(ada, 1)).json).toEqual({ payload: '{"update_id":1}' });
    expect((await show(ada, 2)).json).toEqual({ payload: '{"update_id":2,"in":"memory"}' });
    expect((await show(ada, 3)).json).toEqual({});
    expect((await show(stranger, 1)).status).toBe(403);
    await redis.commands.del(botKeys(bot(0)).log);
  });

  test('count only with dry_run: what would be refused, and nothing is changed or audited', async () => {
    const parked = await api.addBot({ proxy_enabled: false, backend_url: BACKEND_URL });
    await giveUp({ updateId: 1 }, { updateId: 2, reader: 'history' }, { updateId: 3, reader: 'rules' });
    const row = { reader: 'push', update_id: 4, payload: '{}', reason: 'x', reason_code: 'refused', attempts: 1 };
    await api.database.db
      .insertInto('dead_letters')
      .values({ ...row, bot_id: parked.id })
      .execute();
    const before = (await entries('redrive')).length;
    const counted = await acted('redrive', { filter: {}, dry_run: true });
    expect(counted).toEqual({
      ...{ ok: true, redriven: 0, matched: 4, done: 0, refused: 3 },
      refusals: [
        {
          ...{ bot_id: bot(0), reader: 'history', count: 1, code: 'history' },
          reason: 'Failed deliveries of the history cannot be redelivered',
        },
        { bot_id: bot(0), reader: 'rules', count: 1, code: 'no_rules', reason: 'The bot has no rules to run' },
        { bot_id: parked.id, reader: 'push', count: 1, code: 'no_backend', reason: NO_BACKEND },
      ],
      bots: [
        { bot_id: bot(0), count: 3 },
        { bot_id: parked.id, count: 1 },
      ],
      upto_id: expect.any(Number),
    });
    const { bots: ofBots } = counted;
    const discarded = await acted('discard', { filter: {}, dry_run: true });
    expect(discarded).toMatchObject({ matched: 4, done: 0, refused: 0, bots: ofBots });
    expect(await left()).toEqual([1, 2, 3, 4]);
    const { refused, refusals, done } = await acted('redrive', { filter: {} });
    expect({ refused, refusals, done }).toEqual({ refused: 3, refusals: counted.refusals, done: 1 });
    expect(await left()).toEqual([2, 3, 4]);
    expect((await entries('redrive')).length).toBe(before + 1);
    const ofOne = await act('redrive', { bot_id: parked.id });
    expect(ofOne).toMatchObject({ status: 400, json: { error: NO_BACKEND } });
  });

  test('take what a dry run has counted and nothing that died since, if they are given its largest id', async () => {
    const filter = { reason_code: 'refused' };
    for (const action of ['redrive', 'discard'] as const) {
      expect(await acted(action, { filter, dry_run: true })).toMatchObject({ matched: 0, upto_id: 0 });
      const [, newest] = await giveUp({ updateId: 1 }, { bot: 1, updateId: 2 });
      await giveUp({ bot: 2, updateId: 3, code: 'expired' });
      const { upto_id: upto } = await acted(action, { filter, dry_run: true });
      expect(upto).toBe(newest);
      await giveUp({ updateId: 4 });
      expect(await acted(action, { filter, upto_id: upto, dry_run: true })).toMatchObject({
        matched: 2,
        upto_id: upto,
      });
      expect(await acted(action, { filter, upto_id: 0 })).toMatchObject({ matched: 0, done: 0 });
      expect(await acted(action, { filter, upto_id: upto })).toMatchObject({ matched: 2, done: 2 });
      expect(await left()).toEqual([3, 4]);
      await acted('discard', { filter: {} });
    }
  });

  test('are for those who have the bot: ids and filters of foreign bots are 403, and change nothing', async () => {
    const [own, foreign] = await giveUp({ bot: 1, updateId: 1 }, { bot: 2, updateId: 2 });
    for (const action of ['redrive', 'discard'] as const) {
      for (const client of [ada, adasKey, stranger]) {
        for (const body of [{ bot_id: bot(2) }, { filter: { bot_id: bot(2) }, dry_run: true }]) {
          expect(await act(action, body, client)).toMatchObject({ status: 403, json: { code: 'forbidden' } });
        }
        const form = await client('POST', `/api/deliveries/${action}`, {
          query: { filter: JSON.stringify({ bot_id: bot(2), nonsense: 1 }) },
        });
        expect(form.status).toBe(403);
      }
      // A foreign id and one that names nothing are passed over alike.
      expect(await acted(action, { ids: [foreign], dry_run: true }, ada)).toMatchObject({ matched: 0 });
      expect(await acted(action, { filter: {} }, stranger)).toMatchObject({ matched: 0, done: 0 });
      // An id of another bot of the caller is not of the bot that the call names.
      expect(await acted(action, { bot_id: bot(0), ids: [own] }, ada)).toMatchObject({ matched: 0 });
    }
    expect(await left()).toEqual([1, 2]);
    expect(await acted('redrive', { ids: [own] }, adasKey)).toMatchObject({ done: 1 });
  });

  test('of the same letters, at once, send each once', async () => {
    const ids = await giveUp(...Array.from({ length: 500 }, (_, at) => ({ bot: 2, updateId: at + 1 })));
    const before = (await waiting(2)).length;
    const answers = await Promise.all(Array.from({ length: 4 }, () => acted('redrive', { filter: {} })));
    expect(answers.reduce((sum, { done }) => sum + done, 0)).toBe(500);
    expect(await waiting(2)).toHaveLength(before + 500);
    expect(new Set((await waiting(2)).slice(before)).size).toBe(ids.length);
    expect(await left()).toEqual([]);
  });

  test('whose end was lost do not send a letter again that was redriven', async () => {
    await giveUp({ bot: 2, updateId: 1 });
    await administer(
      api.database.url,
      `create function refuse_end() returns trigger language plpgsql as
       $$ begin raise exception 'no space left' using errcode = '53100'; end $$;
       create trigger refuse_end before delete on dead_letters execute function refuse_end()`,
    );
    expect(await act('redrive', { filter: {} })).toMatchObject({ status: 503 });
    await administer(api.database.url, 'drop function refuse_end cascade');
    const keys = botKeys(bot(2));
    const sent = await redis.commands.hkeys(keys.redriven);
    expect(sent.length).toBeGreaterThan(0);
    // Push has delivered it since.
    for (const lane of await redis.commands.zrange(keys.lanes, '0', '-1')) await redis.commands.del(keys.lane(lane));
    await redis.commands.del(keys.lanes, keys.redriven);
    expect(await acted('redrive', { filter: {} })).toMatchObject({ matched: 1, done: 1 });
    expect(await waiting(2)).toEqual([]);
    expect(await redis.commands.exists(keys.justRedriven)).toBe(0);
  });

  test('tell how many updates a redrive has delivered since, and how many have failed again', async () => {
    const ids = await giveUp(...[1, 2, 3].map((updateId) => ({ bot: 2, updateId })));
    const keys = botKeys(bot(2));
    const { job_id: id } = await acted('redrive', { ids });
    const outcome = async () => {
      const { json } = await api.admin('GET', '/api/deliveries/job', { query: { id: id! } });
      return (json as { outcome?: object }).outcome;
    };
    expect(await outcome()).toEqual({ followed: 3, delivered: 0, failed_again: 0 });
    const delivered = { chatId: 5, outcome: 'delivered', status: 200, durationMs: 1, attempt: 1, revision: 1 } as const;
    const attempt = (updateId: number, atMs: number) => attemptLine({ ...delivered, updateId, atMs });
    // The third was delivered long before it was given up, and nothing is known of it since.
    await redis.commands.lpush(keys.attempts, attempt(3, Date.now() - 60_000), attempt(1, Date.now()));
    await redis.commands.hdel(keys.redriven, ...ids.map((letter) => `r${letter}`));
    await giveUp({ bot: 2, updateId: 2 });
    expect(await outcome()).toEqual({ followed: 3, delivered: 1, failed_again: 1 });
    const { json } = await api.admin('GET', '/api/deliveries/job', {
      query: { id: (await acted('discard', { bot_id: bot(2) })).job_id! },
    });
    expect(json).not.toHaveProperty('outcome');
  });

  test('are shown to who asked for them, and to admins who see all bots', async () => {
    await giveUp({ bot: 1, updateId: 1 });
    const { job_id: id } = await acted('discard', { bot_id: bot(1) }, ada);
    const show = (client: RestClient) => client('GET', '/api/deliveries/job', { query: { id: id! } });
    for (const client of [ada, adasKey, api.admin]) {
      expect((await show(client)).json).toMatchObject({ job_id: id, action: 'discard', state: 'finished', done: 1 });
    }
    expect(await show(stranger)).toMatchObject({ status: 404, json: { error: 'Job not found' } });
  });

  test('are refused while five of the account are unfinished', async () => {
    const { db } = api.database;
    await db.insertInto('delivery_jobs').values(Array(5).fill(UNFINISHED_JOB)).execute();
    const [id] = await giveUp({ updateId: 1 });
    const answer = await act('discard', { ids: [id] });
    expect(answer).toMatchObject({ status: 429, json: { code: 'too_many_requests' } });
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await acted('discard', { ids: [id] }, ada)).toMatchObject({ done: 1 });
    await db.deleteFrom('delivery_jobs').where('finished_at', 'is', null).execute();
  });

  test('are refused where the fifth of the account is begun at the same time', async () => {
    const { db } = api.database;
    await db.insertInto('delivery_jobs').values(Array(4).fill(UNFINISHED_JOB)).execute();
    const [id] = await giveUp({ updateId: 1 });
    const begin = async (transaction: Database) => {
      await lockLimit(transaction, 'delivery jobs', 1);
      await transaction.insertInto('delivery_jobs').values(UNFINISHED_JOB).execute();
    };
    expect(await askBeforeCommit(db, begin, () => act('discard', { ids: [id] }))).toMatchObject({ status: 429 });
    await db.deleteFrom('delivery_jobs').where('finished_at', 'is', null).execute();
  });

  test.each<[object, string]>([
    [{}, 'ids'],
    [{ dry_run: true }, 'ids'],
    [{ ids: [1], filter: {} }, 'filter'],
    [{ filter: { state: 'retrying' } }, 'filter.state'],
    [{ filter: { reason: 'refused' } }, 'filter'],
    [{ filter: { status: '5' } }, 'filter.status'],
    [{ filter: { until: 'soon' } }, 'filter.until'],
    [{ filter: 'all' }, 'filter'],
    [{ ids: ['x'] }, 'ids.0'],
    [{ filter: {}, upto_id: -1 }, 'upto_id'],
  ])('refuse %j with the name of the input', async (body, field) => {
    for (const action of ['redrive', 'discard'] as const) {
      const answer = await act(action, body);
      expect(answer.status).toBe(400);
      const { details } = answer.json as { details: { path: string }[] };
      expect(details.map(({ path }) => path.slice(0, field.length))).toContain(field);
    }
  });
});

describe('a test delivery', () => {
  let backend: TestBackend;
  let handle: BackendHandler;
  let tested: BotResource;
  beforeAll(async () => {
    backend = await startBackend((request, response) => handle(request, response));
    api.endBefore(() => backend.stop());
    const url = `${backend.url.replace('://', '://anna:pass-w0rd@')}/hook?key=a-secret-key`;
    tested = await api.addBot({ proxy_enabled: true, backend_url: url, secret_token: 'a-secret-token' });
  });
  beforeEach(async () => {
    handle = (_request, response) => void response.end('OK');
    backend.requests.length = 0;
    await redis.commands.del(botKeys(tested.id).recentTestDelivery);
  });
  const send = (body: object = {}, client = api.admin) =>
    client('POST', '/api/bots/test-delivery', { body: { bot_id: tested.id, ...body } });

  test('sends a sample with the headers of a delivery, shows them masked, and changes nothing', async () => {
    const keys = botKeys(tested.id);
    const stored = async () => [
      await redis.commands.hgetall(keys.state),
      await redis.commands.exists(keys.attempts, keys.excerpts, keys.work, keys.lanes, keys.log),
    ];
    const reply = {
      method: 'sendMessage',
      chat_id: 5,
      text: 'as a call',
      token: tested.token,
      secret: 'a-secret-token',
    };
    handle = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
    };
    const before = await stored();
    const answer = await send();
    expect(answer).toMatchObject({
      status: 200,
      json: {
        ...{ status: 200, duration_ms: expect.any(Number), response_content_type: 'application/json' },
        response_excerpt: expect.stringMatching(/^\{"method":"sendMessage","chat_id":5,"text":"as a call"/),
        request: {
          ...{ method: 'POST', url: `${backend.url.replace('://', '://****@')}/hook?key=****` },
          headers: { 'X-Telegram-Bot-Api-Secret-Token': '****', 'X-Flotilla-Test': '1', Authorization: 'Basic ****' },
        },
      },
    });
    expect(answer.json).not.toHaveProperty('error');
    for (const secret of [tested.token.split(':')[1]!, 'a-secret-token', 'a-secret-key', 'pass-w0rd']) {
      expect(answer.text).not.toContain(secret);
    }
    const [request] = backend.requests;
    expect(request?.headers).toMatchObject({
      ...{ 'x-telegram-bot-api-secret-token': 'a-secret-token', 'x-flotilla-test': '1' },
      'flotilla-delivery-id': expect.stringMatching(`^${tested.id}-test-`),
    });
    expect(JSON.parse(request!.text)).toMatchObject({ update_id: 0, message: { chat: { id: 2 ** 52 - 1 } } });
    expect((answer.json as { request: { body: string } }).request.body).toBe(request!.text);
    expect(await stored()).toEqual(before);
    const platformId = Number(tested.token.split(':')[0]);
    expect((await api.platform.readCalls({ bot: platformId, method: 'sendMessage' })).calls).toEqual([]);
    expect((await entries('test_delivery'))[0]).toMatchObject({ bot_id: tested.id, details: 'update_id: 0' });
  });

  test('sends an edited update: text byte for byte, an object as its JSON', async () => {
    const text = '{"update_id":12,\n"message":{"n":9007199254740993,"text":"п\\u0041"}}';
    expect((await send({ update: text })).status).toBe(200);
    expect(backend.requests.at(-1)?.text).toBe(text);
    await redis.commands.del(botKeys(tested.id).recentTestDelivery);
    await send({ update: { update_id: 13, poll: {} } });
    expect(backend.requests.at(-1)?.text).toBe('{"update_id":13,"poll":{}}');
    for (const update of ['x', '[]', {}, { update_id: -1 }, '{"update_id":1.5}', [], 5]) {
      expect(await send({ update })).toMatchObject({ status: 400, json: { details: [{ path: 'update' }] } });
    }
    const rounded = `{"bot_id":${tested.id},"update":{"update_id":1,"n":9007199254740993}}`;
    const refused = await api.admin('POST', '/api/bots/test-delivery', { body: rounded });
    expect(refused).toMatchObject({ status: 400, json: { details: [{ path: 'update' }] } });
    expect(backend.requests).toHaveLength(2);
  });

  test('shows a redirect, a huge answer, silence and a forbidden address as results', async () => {
    const next = () => redis.commands.del(botKeys(tested.id).recentTestDelivery);
    handle = (_request, response) => void response.writeHead(302, { location: `${backend.url}/elsewhere` }).end();
    expect((await send()).json).toMatchObject({
      status: 302,
      error: expect.stringMatching(/302/),
      response_excerpt: '',
    });
    expect(backend.requests).toHaveLength(1);
    await next();
    handle = (_request, response) => void response.writeHead(500).end('huge '.repeat(1_000_000));
    expect((await send()).json).toMatchObject({ status: 500, response_excerpt: expect.stringMatching(/^(huge ?)+$/) });
    await next();
    const pod = await api.startPod({ BACKEND_ALLOWED_CIDRS: '' });
    const strict = restClient(pod.url, ADMIN_KEY);
    const forbidden = await send({}, strict);
    expect(forbidden.json).toMatchObject({ status: 0, error: expect.stringMatching(/reserved/), response_excerpt: '' });
    expect(backend.requests).toHaveLength(2);
    await next();
    handle = () => {};
    const silent = await send();
    expect(silent.json).toMatchObject({ status: 0, error: 'Read timeout expired' });
  }, 40_000);

  test('is possible once a second for a bot, for those who have it, and needs a backend', async () => {
    const answers = await Promise.all([send(), send(), send()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429, 429]);
    expect(answers.find(({ status }) => status === 429)?.headers.get('retry-after')).toBe('1');
    expect(backend.requests).toHaveLength(1);
    for (const client of [ada, adasKey, stranger]) expect((await send({}, client)).status).toBe(403);
    const without = await api.addBot();
    const refused = await send({ bot_id: without.id });
    expect(refused).toMatchObject({ status: 400, json: { error: 'The bot has no backend URL' } });
  });
});
