import {
  ADMIN_KEY,
  FLEET_ENCRYPTION_KEY,
  type Fleet,
  type FleetBot,
  startFleet,
} from '@flotilla/testing/fleet/fleet.ts';
import { type FleetProcess, launchProcess } from '@flotilla/testing/fleet/fleet-process.ts';
import { administer, type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { startTcpRelay, type TcpRelay } from '@flotilla/testing/tcp-relay.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';

const ROLES = ['api', 'worker'] as const;
const ALL_ROLES = ['api', 'polling', 'push', 'rules', 'history', 'upkeep'] as const;
type Role = (typeof ROLES)[number] | (typeof ALL_ROLES)[number];
const STARTED_WITHIN_MS = 60_000;

let redis: TestRedis;
let redisRelay: TcpRelay;
let fleet: Fleet;
let database: TestDatabase;
let postgres: TcpRelay;
let started: FleetProcess[] = [];

beforeAll(async () => {
  [redis, database] = await Promise.all([startTestRedis(), testDatabase()]);
  fleet = await startFleet({ apis: 1, workers: 1 }, { PUBLIC_URL: 'http://127.0.0.1:1' }, database, redis);
  postgres = await startTcpRelay(Number(new URL(database.url).port));
  redisRelay = await startTcpRelay(redis.port);
}, 60_000);
afterAll(async () => {
  await fleet?.stop();
  await postgres?.stop();
  await redisRelay?.stop();
  await redis?.stop();
  await database?.drop();
}, 60_000);

const throughRelay = (url: string, relay: TcpRelay) =>
  Object.assign(new URL(url), { port: String(relay.port) }).href.replace(/\/$/, '');
async function launch(role: 'api' | 'worker', settings: Record<string, string> = {}): Promise<FleetProcess> {
  const process = await launchProcess(role, {
    DATABASE_URL: throughRelay(database.url, postgres),
    REDIS_URL: throughRelay(redis.url, redisRelay),
    TELEGRAM_API_URL: fleet.simulator.url,
    ENCRYPTION_KEY: FLEET_ENCRYPTION_KEY,
    ADMIN_API_KEY: ADMIN_KEY,
    ADMIN_PASSWORD: 'a password for tests',
    BALANCER_NOTICE_SECONDS: '0',
    PUBLIC_URL: 'http://127.0.0.1:1',
    ...settings,
  });
  started.push(process);
  return process;
}
const probe = async ({ metricsPort }: FleetProcess, path: string) => {
  const response = await fetch(`http://127.0.0.1:${metricsPort}${path}`);
  return { status: response.status, text: await response.text() };
};
/**
 * The process is alive, and logs once, and not as an error, that it waits. It is unready for this reason, but for an api that
 * lacks only Postgres: it serves, and warns.
 */
async function expectWaiting(process: FleetProcess, store: 'Postgres' | 'Redis'): Promise<void> {
  const saysSo = () => lines(process).filter((line) => line.includes(`waiting for ${store}`));
  await waitFor(() => saysSo().length > 0 || process.hasEnded(), { timeoutMs: STARTED_WITHIN_MS });
  expect([process.hasEnded(), process.hasEnded() ? process.output() : '']).toEqual([false, '']);
  expect((await probe(process, '/livez')).status).toBe(200);
  const readiness = await settledReadiness(process);
  const said = `${store} has not answered since the start`;
  if (process.role === 'api' && store === 'Postgres') {
    const warnings = expect.arrayContaining([said]);
    expect(readiness).toEqual([200, { ready: true, reasons: [], warnings }]);
  } else expect(readiness).toEqual([503, expect.objectContaining({ ready: false, reasons: [said] })]);
  expect(saysSo()).toHaveLength(1);
  expect(saysSo()[0]).toContain('"level":40');
  expect(lines(process).filter((line) => /"level":[56]0/.test(line))).toEqual([]);
}
/** The readiness of a process, of an api once it listens or waits for a store. */
async function settledReadiness(process: FleetProcess): Promise<[number, object]> {
  let found: [number, { reasons: string[] }] = [0, { reasons: [] }];
  await waitFor(async () => {
    const { status, text } = await probe(process, '/readyz');
    found = [status, JSON.parse(text)];
    return !found[1].reasons.includes('the service is starting');
  });
  return found;
}
const lines = (process: FleetProcess) => process.output().split('\n');
const becomesReady = (process: FleetProcess) =>
  waitFor(
    async () => {
      const { status, text } = await probe(process, '/readyz');
      return status === 200 && JSON.parse(text).warnings.length === 0;
    },
    { timeoutMs: STARTED_WITHIN_MS },
  );
const ask = (process: FleetProcess, path: string, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${process.port}${path}`, { headers: { authorization: `Bearer ${ADMIN_KEY}` }, ...init });
async function push(process: FleetProcess, bot: FleetBot, updateId: number): Promise<number> {
  const { secretToken } = await fleet.control.readWebhook({ bot: bot.platformId });
  const message = { message_id: updateId, date: 1_780_000_000, chat: { id: 5, type: 'private' }, text: 'x' };
  const response = await ask(process, `/telegram/${bot.id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secretToken },
    body: JSON.stringify({ update_id: updateId, message }),
  });
  return response.status;
}
async function endAll(): Promise<void> {
  await Promise.all(started.map((process) => process.kill()));
  started = [];
  await Promise.all([postgres.restore(), redisRelay.restore()]);
}
/** Starts one process of each role while a store is away; all at once, because each needs its time. */
function launchedWhile<R extends Role>(
  roles: readonly R[],
  takeAway: () => Promise<void>,
  settings: (role: R) => Promise<Record<string, string>> = async () => ({}),
): (role: R) => FleetProcess {
  const processes = new Map<R, FleetProcess>();
  beforeAll(async () => {
    const own = await Promise.all(roles.map(settings));
    await takeAway();
    for (const [at, role] of roles.entries()) {
      const performs = ROLES.some((name) => name === role) ? {} : { WORKER_ROLES: role };
      processes.set(role, await launch(role === 'api' ? 'api' : 'worker', { ...performs, ...own[at] }));
    }
  }, 60_000);
  afterAll(endAll, 60_000);
  return (role) => processes.get(role)!;
}

describe.each([
  ['is down', () => postgres.cut()],
  ['hangs', async () => postgres.hang()],
])('a process that starts while Postgres %s', (_how, takeAway) => {
  const launched = launchedWhile(ROLES, takeAway);
  test.each(ROLES)('waits unready and says so: %s', (role) => expectWaiting(launched(role), 'Postgres'), 150_000);

  describe('goes on when Postgres is there', () => {
    beforeAll(() => postgres.restore());
    test.each(ROLES)('%s', async (role) => void (await becomesReady(launched(role))), 150_000);
  });
});

describe('an api that starts while Postgres is away', () => {
  afterEach(endAll, 60_000);

  test('an api that waits for Postgres takes pushes in, proxies and serves polls, and answers REST with 503', async () => {
    const bot = await fleet.addBot({ webhook_mode: true, long_poll_enabled: true });
    await postgres.cut();
    const api = await launch('api');
    await expectWaiting(api, 'Postgres');
    expect(await push(api, bot, 1000)).toBe(200);
    const method = async (name: string) => (await ask(api, `/tgapi/bot${bot.token}/${name}`)).json();
    expect(await method('getMe')).toMatchObject({ ok: true, result: { id: bot.platformId } });
    expect(await method('getUpdates?timeout=5')).toMatchObject({ ok: true, result: [{ update_id: 1000 }] });
    const answer = await ask(api, '/api/bots');
    expect([answer.status, await answer.json()]).toEqual([503, expect.objectContaining({ code: 'unavailable' })]);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    await postgres.restore();
    await becomesReady(api);
    expect((await ask(api, '/api/bots')).status).toBe(200);
  }, 150_000);

  test('one whose Redis knows no installation either is unready and sends nothing, until Postgres tells', async () => {
    const bot = await fleet.addBot();
    const empty = await startTestRedis();
    await postgres.cut();
    const api = await launch('api', { REDIS_URL: empty.url });
    const silent = 'the installation is not known yet: Postgres does not answer, and Redis knows none';
    await waitFor(async () => (await probe(api, '/readyz')).text.includes(silent), { timeoutMs: STARTED_WITHIN_MS });
    const { status, text } = await probe(api, '/readyz');
    expect([status, JSON.parse(text)]).toMatchObject([503, { reasons: ['the list of bots has not been read'] }]);
    const sent = await ask(api, `/tgapi/bot${bot.token}/sendMessage?chat_id=1&text=x`);
    expect([sent.status, sent.headers.get('flotilla-answered-by')]).toEqual([503, 'quarantine']);
    expect(await sent.json()).toMatchObject({ error_code: 503, parameters: { retry_after: 3 } });
    await postgres.restore();
    await becomesReady(api);
    await api.kill();
    await empty.stop();
  }, 150_000);

  test('the first admin is made when Postgres comes', async () => {
    const empty = await testDatabase();
    await postgres.cut();
    const api = await launch('api', { DATABASE_URL: throughRelay(empty.url, postgres) });
    await expectWaiting(api, 'Postgres');
    await postgres.restore();
    await waitFor(async () => (await ask(api, '/api/auth/me')).ok, { timeoutMs: STARTED_WITHIN_MS });
    const me = await ask(api, '/api/auth/me');
    expect(await me.json()).toMatchObject({ username: 'admin', role: 'admin' });
    await api.kill();
    await empty.drop();
  }, 150_000);
});

describe('a pending migration ends a process also when Postgres comes later', () => {
  const behind = new Map<string, TestDatabase>();
  const launched = launchedWhile(
    ROLES,
    () => postgres.cut(),
    async (role) => {
      const own = await testDatabase();
      behind.set(role, own);
      await administer(own.url, 'delete from kysely_migration');
      return { DATABASE_URL: throughRelay(own.url, postgres) };
    },
  );
  afterAll(() => Promise.all([...behind.values()].map((own) => own.drop())));
  test.each(ROLES)('%s waits', (role) => expectWaiting(launched(role), 'Postgres'), 150_000);

  describe('and ends', () => {
    beforeAll(() => postgres.restore());
    test.each(ROLES)(
      '%s',
      async (role) => {
        await waitFor(() => launched(role).hasEnded(), { timeoutMs: STARTED_WITHIN_MS });
        expect(await launched(role).stop()).toBe(1);
        expect(launched(role).output()).toContain('run: npm run migrate');
      },
      90_000,
    );
  });
});

describe.each([
  ['Postgres', () => postgres.cut()],
  ['Redis', () => redisRelay.cut()],
] as const)('a process that waits for %s and is told to stop', (store, takeAway) => {
  const launched = launchedWhile(ROLES, takeAway);
  test.each(ROLES)(
    'ends with 0: %s',
    async (role) => {
      await expectWaiting(launched(role), store);
      expect(await launched(role).stop()).toBe(0);
    },
    90_000,
  );
});

describe.each([
  ['is down', () => redisRelay.cut()],
  ['hangs', async () => redisRelay.hang()],
])('a process that starts while Redis %s', (_how, takeAway) => {
  const launched = launchedWhile(ALL_ROLES, takeAway);
  test.each(ALL_ROLES)(
    'waits unready and says so as a warning: %s',
    (role) => expectWaiting(launched(role), 'Redis'),
    90_000,
  );

  test.each(['/api/bots', '/tgapi/bot1:a/getMe', '/nowhere'])('answers %s with 503', async (path) => {
    const answer = await ask(launched('api'), path);
    expect([answer.status, Number(answer.headers.get('retry-after'))]).toEqual([503, 1]);
    expect(await answer.json()).toHaveProperty(path.startsWith('/tgapi') ? 'error_code' : 'code');
  });

  test('is alive and unready also at its own port', async () => {
    expect((await ask(launched('api'), '/livez')).status).toBe(200);
    expect((await ask(launched('api'), '/readyz')).status).toBe(503);
  });

  describe('goes on when Redis is there', () => {
    beforeAll(() => redisRelay.restore());
    test.each(ALL_ROLES)('%s', async (role) => void (await becomesReady(launched(role))), 150_000);
  });
});
