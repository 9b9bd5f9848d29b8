import type { ActivityResource } from '@flotilla/contract/activity.ts';
import { NO_ATTENTION } from '@flotilla/contract/attention.ts';
import { BOT_API_VERSION } from '@flotilla/contract/bot-api/update-kinds.ts';
import type { FleetResource } from '@flotilla/contract/fleet.ts';
import type { SystemResource } from '@flotilla/contract/system.ts';
import { migrations } from '@flotilla/database/migrations.ts';
import { followDirectory } from '@flotilla/domain/fleet/bots/follow-directory.ts';
import { gatherFigures } from '@flotilla/domain/watch/fleet-figures/gather-figures.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, figureKeys, HOUR_MS, programKeys, replicaKeys } from '@flotilla/redis/keys.ts';
import { type TurnQueue, turnQueue } from '@flotilla/redis/turn-queue.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { secretBox } from '@flotilla/runtime/secret-box.ts';
import { activityKeys, storeCounts } from '@flotilla/testing/activity-counts.ts';
import { createContext } from '@flotilla/testing/create-context.ts';
import { NO_FLOODS } from '@flotilla/testing/no-floods.ts';
import { type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { ADMIN_KEY, ADMIN_PASSWORD, TEST_ENCRYPTION_KEY, testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readConfig } from '../config.ts';
import type { Context } from '../context.ts';

const api = testApi();
let redis: RedisHandles;
let turns: Record<'push' | 'rules', TurnQueue>;
/** Three bots: one that works, one whose breaker is open, and one that is disabled. */
let bots: { ok: number; open: number; disabled: number };

beforeAll(async () => {
  redis = await connectRedis({ url: api.redis.url, log: { warn: () => {} } });
  turns = { push: turnQueue(redis, 'push'), rules: turnQueue(redis, 'rules') };
  api.endBefore(async () => {
    await Promise.all([turns.push.close(), turns.rules.close()]);
    await redis.close();
  });
  const [ok, open, disabled] = await Promise.all([
    api.addBot({ long_poll_enabled: true }),
    api.addBot({ proxy_enabled: true, backend_url: 'http://127.0.0.1:9/' }),
    api.addBot(),
  ]);
  bots = { ok: ok.id, open: open.id, disabled: disabled.id };
  await api.admin('POST', '/api/bots/toggle-disabled', { body: { id: disabled.id } });
  const nowMs = Date.now();
  await redis.commands.hset(botKeys(ok.id).state, { pollOkAt: nowMs, allowedCount: 7, pullCursorCount: 3 });
  await redis.commands.hset(botKeys(open.id).state, {
    ...{ pollOkAt: nowMs, allowedCount: 40, pushCursorCount: 40, pushPending: 38 },
    ...{ failingSince: nowMs - 60_000, openUntil: nowMs + 60_000 },
  });
  const letter = { reader: 'push', payload: '{}', reason: 'x', reason_code: 'refused', attempts: 1 };
  await api.database.db
    .insertInto('dead_letters')
    .values([1, 2, 3].map((at) => ({ ...letter, bot_id: at < 3 ? open.id : ok.id, update_id: at })))
    .execute();
});

beforeEach(async () => {
  await redis.commands.del(figureKeys.newest, figureKeys.turn);
});

const shown = async (client: RestClient): Promise<FleetResource> => {
  const answer = await client('GET', '/api/fleet');
  expect(answer.status).toBe(200);
  return answer.json as FleetResource;
};
const userOf = async (username: string, ids: number[] | null): Promise<RestClient> =>
  restClient(api.url, (await insertAccount(api.database.db, { username, bots: ids })).key);

async function gather(): Promise<void> {
  const log = createLogger({ name: 'test', level: 'silent' });
  const directory = await followDirectory({ redis, secrets: secretBox(TEST_ENCRYPTION_KEY), log });
  await gatherFigures({ db: api.database.db, redis, directory, clock: systemClock, floods: NO_FLOODS, turns });
  directory.close();
}

describe('the fleet in figures', () => {
  const STATES = { ok: 1, failing: 0, open: 1, disabled: 1, not_polled: 0 };

  test('is as a worker found it, and says when', async () => {
    const beganMs = Date.now();
    await gather();
    const fleet = await shown(api.admin);
    expect(fleet).toMatchObject({ bots: 3, states: STATES, pending: 42, dead_letters: 3 });
    expect(Date.parse(fleet.taken_at)).toBeGreaterThanOrEqual(beganMs);
    expect(fleet.rates).toEqual({ in: 0, delivered: 0, failed: 0, retried: 0, calls: 0 });
    await redis.commands.hset(botKeys(bots.ok).state, { allowedCount: 9 });
    expect(await shown(api.admin)).toMatchObject({ pending: 42, taken_at: fleet.taken_at });
    await redis.commands.hset(botKeys(bots.ok).state, { allowedCount: 7 });
  });

  test('gives a bot for which updates wait the turn that it has lost, and no other one', async () => {
    const waiting = async () => (await turns.push.partOf(bots.open).getJobs(['wait'])).map(({ data }) => data.subject);
    await turns.push.partOf(bots.open).obliterate({ force: true });
    await gather();
    expect(await waiting()).toEqual([bots.open]);
    await redis.commands.del(figureKeys.turn);
    await gather();
    expect(await waiting()).toEqual([bots.open]);
  });

  test('leaves how much waited in the activity of the fleet and of each bot', async () => {
    const hour = Math.floor(Date.now() / HOUR_MS);
    await redis.commands.del(...[hour - 1, hour, hour + 1].map((one) => figureKeys.waiting(one)));
    await gather();
    const waitingOf = async (query: { bot_id?: number }) => {
      const { json } = await api.admin('GET', '/api/activity', { query });
      return (json as ActivityResource[]).flatMap(({ waiting }) => waiting ?? []);
    };
    expect(await waitingOf({})).toEqual([42]);
    const ofBots = [bots.ok, bots.open, bots.disabled].map((bot_id) => waitingOf({ bot_id }));
    expect(await Promise.all(ofBots)).toEqual([[4], [38], [0]]);
  });

  test('has the rates of the last complete minute', async () => {
    // In both minutes, because one may end while the test runs.
    const atMs = [Date.now() - 60_000, Date.now()];
    for (const one of atMs) {
      const [ofBot, ofShard] = activityKeys(bots.ok, one) as [string, string];
      await storeCounts(redis.commands, ofShard, one, '600 540 6 60 30');
      await storeCounts(redis.commands, ofBot, one, '60 30 0 0 120');
    }
    await gather();
    const rates = { in: 10, delivered: 9, failed: 0.1, retried: 1, calls: 0.5 };
    expect((await shown(api.admin)).rates).toEqual(rates);
    await redis.commands.del(figureKeys.newest);
    expect((await shown(api.admin)).rates).toEqual(rates);
    const ofOne = { in: 1, delivered: 0.5, failed: 0, retried: 0, calls: 2 };
    expect((await shown(await userOf('rated', [bots.ok, bots.open]))).rates).toEqual(ofOne);
    await redis.commands.del(...atMs.flatMap((one) => activityKeys(bots.ok, one)));
  });

  test('is of this moment while no worker gathers figures', async () => {
    expect(await shown(api.admin)).toMatchObject({ bots: 3, states: STATES, pending: 42, dead_letters: 3 });
  });

  test('has a bot at once that was added or deleted since a worker looked', async () => {
    await gather();
    const { id } = await api.addBot();
    expect(await shown(api.admin)).toMatchObject({ bots: 4 });
    await api.admin('POST', '/api/bots/delete', { body: { id } });
    expect(await shown(api.admin)).toMatchObject({ bots: 3 });
  });

  test('counts bots by what is wrong with them, as a worker finds them and at this moment', async () => {
    const input = { bot_id: bots.ok, name: 'alerts', mode: 'push', backend_url: 'http://127.0.0.1:9/alerts' };
    const { id } = (await api.admin('POST', '/api/programs/add', { body: input })).json as { id: number };
    const { state } = programKeys(bots.ok, id);
    for (const trouble of [0, 1]) {
      await redis.commands.del(figureKeys.newest, figureKeys.turn);
      expect(await shown(api.admin)).toMatchObject({ states: STATES, attention: { program_failing: trouble } });
      await gather();
      expect(await shown(api.admin)).toMatchObject({ states: STATES, attention: { program_failing: trouble } });
      await redis.commands.hset(state, 'failingSince', Date.now());
    }
    await api.admin('POST', '/api/programs/delete', { body: { id } });
  });

  test('is of their own bots for those who see only some, without the processes', async () => {
    await gather();
    const user = await shown(await userOf('of-one', [bots.open]));
    expect(user).toEqual({
      ...{ bots: 1, states: { ok: 0, failing: 0, open: 1, disabled: 0, not_polled: 0 } },
      attention: { ...NO_ATTENTION, backend_open: 1 },
      ...{ labels: [], pending: 38, dead_letters: 2, taken_at: expect.any(String) },
      rates: { in: 0, delivered: 0, failed: 0, retried: 0, calls: 0 },
    });
    expect(await shown(await userOf('of-none', []))).toMatchObject({ bots: 0, pending: 0, dead_letters: 0 });
    const made = await api.admin('POST', '/api/auth/api-keys', { body: { name: 'limited', bot_ids: [bots.ok] } });
    const limited = await shown(restClient(api.url, (made.json as { key: string }).key));
    expect(limited).toMatchObject({ bots: 1, pending: 4, dead_letters: 1 });
    expect(limited).not.toHaveProperty('replicas');
  });

  test('shows the processes to admins, and not to a user who sees every bot', async () => {
    const all = await shown(await userOf('of-all', null));
    expect(all).toMatchObject({ bots: 3 });
    expect(all).not.toHaveProperty('replicas');
    expect(await shown(api.admin)).toMatchObject({ replicas: [{ kind: 'api', roles: ['api'] }] });
  });

  test('counts a dead letter of a deleted bot no more, although its row is removed later', async () => {
    const { id } = await api.addBot();
    await api.database.db
      .insertInto('dead_letters')
      .values({
        bot_id: id,
        reader: 'push',
        update_id: 1,
        payload: '{}',
        reason: 'x',
        reason_code: 'refused',
        attempts: 1,
      })
      .execute();
    expect(await shown(api.admin)).toMatchObject({ dead_letters: 4 });
    await api.admin('POST', '/api/bots/delete', { body: { id } });
    expect(await shown(api.admin)).toMatchObject({ dead_letters: 3 });
  });
});

describe('the processes of a fleet', () => {
  test('are listed once they run, and no more once they are stopped', async () => {
    const [first] = (await shown(api.admin)).replicas!;
    const pod = await api.startPod();
    const two = await waitFor(async () => {
      const { replicas = [] } = await shown(api.admin);
      return replicas.length === 2 ? replicas : null;
    });
    expect(two).toMatchObject([{ id: first!.id }, { kind: 'api', version: expect.stringMatching(/^\d+\.\d+\.\d+/) }]);
    expect(Date.parse(two![1]!.started_at)).toBeLessThanOrEqual(Date.now());
    await pod.stop();
    expect((await shown(api.admin)).replicas).toMatchObject([{ id: first!.id }]);
    expect(await redis.commands.smembers(replicaKeys.ids)).toEqual([first!.id]);
  });

  test('are forgotten when they were killed: what they said expires', async () => {
    const { replicas = [] } = await shown(api.admin);
    const [first] = replicas;
    const killed = { ...JSON.parse((await redis.commands.get(replicaKeys.one(first!.id)))!), id: 'killed' };
    await redis.commands.set(replicaKeys.one('killed'), JSON.stringify(killed), 'PX', 1_000);
    await redis.commands.sadd(replicaKeys.ids, 'killed');
    expect(((await shown(api.admin)).replicas ?? []).map(({ id }) => id)).toContain('killed');
    await waitFor(async () => (await shown(api.admin)).replicas?.length === replicas.length);
    expect(await redis.commands.sismember(replicaKeys.ids, 'killed')).toBe(0);
    // The process that lives repeats what it says before that expires.
    const ttlMs = await redis.commands.pttl(replicaKeys.one(first!.id));
    expect(ttlMs).toBeGreaterThan(0);
    expect(ttlMs).toBeLessThanOrEqual(15_000);
  });
});

describe('the system', () => {
  const system = async (client: RestClient = api.admin): Promise<SystemResource> => {
    const answer = await client('GET', '/api/system');
    expect(answer.status).toBe(200);
    return answer.json as SystemResource;
  };

  test('is shown with its releases, stores, turns and limits', async () => {
    await gather();
    const beganMs = Date.now();
    const { process: own, postgres, redis: stores, turns, stored, limits, taken_at } = await system();
    expect(own).toMatchObject({ version: expect.stringMatching(/^\d+\./), node_version: process.versions.node });
    expect(own).toMatchObject({ bot_api_version: BOT_API_VERSION });
    expect(own.memory_bytes).toBeGreaterThan(10_000_000);
    const newest = Object.keys(migrations).sort().at(-1);
    expect(postgres).toMatchObject({ version: expect.any(String), migrations: { newest, pending: 0, unknown: 0 } });
    expect(postgres!.database_bytes).toBeGreaterThan(1_000_000);
    expect(postgres!.connections).toBeLessThanOrEqual(postgres!.connections_max);
    expect(stores).toMatchObject({ durable: true, evicts: false, memory_pressure: 'relaxed' });
    expect(stores!.versions).toEqual([expect.stringMatching(/^(Redis|Valkey) \d/)]);
    expect(turns!.kinds.map(({ kind }) => kind)).toEqual(['polling', 'push', 'programs', 'rules', 'outbox', 'history']);
    expect(stored).toMatchObject({ waiting_for_push: { total: 38, largest: 38 }, waiting_for_pull: { total: 4 } });
    expect(limits).toContainEqual(expect.objectContaining({ name: 'waiting_updates', value: 100_000 }));
    expect(Date.parse(taken_at)).toBeGreaterThanOrEqual(beganMs);
    for (const part of [postgres, stores, turns, stored]) expect(part!.taken_at).toEqual(expect.any(String));
  });

  test('counts the turns that wait, and for how long the oldest has', async () => {
    const { turns } = await createdContext();
    for (const part of turns.push.parts) await part.obliterate({ force: true });
    const since = Date.now();
    await turns.push.wakeAll([bots.open, bots.ok]);
    await turns.push.sleepUntil(999, Date.now() + 600_000);
    const push = await waitFor(async () => {
      const found = (await system()).turns!.kinds.find(({ kind }) => kind === 'push');
      return found!.waiting > 1 ? found : null;
    });
    expect(push).toMatchObject({ running: 0, waiting: 2, sleeping: 1 });
    expect(push!.oldest_pending_s).toBeLessThanOrEqual((Date.now() - since) / 1000);
    for (const part of turns.push.parts) await part.obliterate();
  });

  test('shows no secret, whatever is in the settings', async () => {
    const pod = await api.startPod({
      PUBLIC_URL: 'https://somebody:a-secret-of-the-url@bots.example.com/a-secret-path?key=a-secret-value',
      TELEGRAM_PROXY: 'socks5://somebody:a-secret-of-the-proxy@proxy.example.com',
    });
    const answer = await restClient(pod.url, ADMIN_KEY)('GET', '/api/system');
    const { settings } = answer.json as SystemResource;
    expect(settings).toContainEqual({ name: 'PUBLIC_URL', value: 'https://bots.example.com' });
    expect(settings).toContainEqual({ name: 'TELEGRAM_API_URL', value: api.platformUrl });
    expect(settings).toContainEqual({ name: 'TELEGRAM_PROXY', value: 'socks5://proxy.example.com:1080' });
    const { DATABASE_URL, REDIS_URL, ENCRYPTION_KEY, ADMIN_API_KEY } = api.env;
    const secrets = [DATABASE_URL, REDIS_URL, ENCRYPTION_KEY, ADMIN_API_KEY, ADMIN_PASSWORD, 'a-secret', 'somebody'];
    for (const secret of secrets) expect(answer.text).not.toContain(secret);
    await pod.stop();
  });

  test('lacks what cannot be asked, and is for admins of the whole fleet only', async () => {
    const { readSystem } = await createdContext({ DATABASE_URL: 'postgres://127.0.0.1:1/nowhere' });
    expect(await readSystem()).toMatchObject({ database: null, redis: { pressure: 'relaxed' } });
    const made = await api.admin('POST', '/api/auth/api-keys', { body: { name: 'limited', bot_ids: [bots.ok] } });
    const limited = restClient(api.url, (made.json as { key: string }).key);
    for (const client of [limited, await userOf('no-admin', null)]) {
      expect(await client('GET', '/api/system')).toMatchObject({ status: 403 });
    }
  });

  async function createdContext(settings: Record<string, string> = {}): Promise<Context> {
    const log = createLogger({ name: 'test', level: 'silent' });
    const context = await createContext(readConfig({ ...api.env, ...settings }), { log });
    api.endBefore(context.close);
    return context;
  }
});
