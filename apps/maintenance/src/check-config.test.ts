import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { freePort } from '@flotilla/embedded/free-port.ts';
import { startSimulator } from '@flotilla/simulator/start.ts';
import { startBackend } from '@flotilla/testing/backend.ts';
import { runMaintenance } from '@flotilla/testing/fleet/run-maintenance.ts';
import { administer, databaseUrl, type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { type RedisServer, startRedisServer } from '@flotilla/testing/redis-server.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { startTlsAuthority, type TlsAuthority } from '@flotilla/testing/tls-authority.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Finding } from './checks/finding.ts';

/** The rights that the handbook prescribes, as arguments of ACL SETUSER. */
const RIGHTS = /^ {4}ACL SETUSER flotilla ((?:.|\n {4})*)$/m
  .exec(readFileSync(join(import.meta.dirname, '../../../docs/operations/redis.md'), 'utf8'))![1]!
  .split(/[\s\\]+/);
const SAFE = { appendonly: 'yes', appendfsync: 'always', 'maxmemory-policy': 'noeviction', maxmemory: '200mb' };

const parts = new AsyncDisposableStack();
let database: TestDatabase;
let redis: RedisServer;
let platform: { url: string };
let authority: TlsAuthority;

beforeAll(async () => {
  [database, redis, platform, authority] = await Promise.all([
    testDatabase(),
    startRedisServer(SAFE),
    startSimulator(),
    startTlsAuthority(),
  ]);
  parts.defer(() => database.drop());
  parts.defer(() => redis.stop());
  parts.adopt(platform as Awaited<ReturnType<typeof startSimulator>>, (started) => started.stop());
}, 60_000);
afterAll(() => parts.disposeAsync());
beforeEach(() => allow());

/** Gives the user of REDIS_URL what the handbook says, and then these rules. */
const allow = (...rules: string[]) => redis.connection.call('ACL', 'SETUSER', 'flotilla', 'reset', ...RIGHTS, ...rules);

async function check(settings: Record<string, string> = {}, found: string[] = ['warn', 'fail']) {
  const { exitCode, output } = await runMaintenance(['check-config', '--json'], {
    DATABASE_URL: database.url,
    REDIS_URL: `redis://flotilla:password@127.0.0.1:${redis.port}`,
    ALLOW_SANDBOX_SECRETS: '1',
    TELEGRAM_API_URL: platform.url,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ...settings,
  });
  const { findings } = JSON.parse(output) as { findings: Finding[] };
  const wrong = findings.filter(({ level }) => found.includes(level));
  for (const { level, mend } of wrong) expect(mend === undefined).toBe(level === 'ok');
  return { exitCode, found: wrong.map(({ level, check: name, found: what }) => `${level} ${name}: ${what}`) };
}

test('an installation set up by the handbook has nothing to mend', async () => {
  expect(await check()).toEqual({ exitCode: 0, found: [] });
  expect((await check({}, ['ok'])).found.length).toBeGreaterThan(12);
});

test('one run names every fault: a password, a lacking command, channel and key, eviction, no file, no platform', async () => {
  await allow('-zadd', 'resetchannels', 'resetkeys', '~{*');
  await redis.connection.config('SET', 'maxmemory-policy', 'allkeys-lru', 'appendfsync', 'everysec');
  const wrong = Object.assign(new URL(database.url), { username: 'nobody', password: 'wrong' }).href;
  const { exitCode, found } = await check({ DATABASE_URL: wrong, TELEGRAM_API_URL: 'http://127.0.0.1:1' });
  await redis.connection.config('SET', 'maxmemory-policy', 'noeviction', 'appendfsync', 'always');
  expect(exitCode).toBe(1);
  expect(found).toEqual([
    expect.stringMatching(/^fail postgres: (password authentication failed|role "nobody" does not exist)/),
    expect.stringMatching(/^fail redis rights: .*'zadd' command/),
    expect.stringMatching(/^fail redis rights: .*channel/),
    expect.stringMatching(/^fail redis rights: .*keys?\b/),
    expect.stringMatching(/^fail redis durability: /),
    expect.stringMatching(/^fail redis eviction: /),
    expect.stringMatching(/^fail platform: 127.0.0.1:1 cannot be reached: .*ECONNREFUSED/),
  ]);
  expect(found.join()).not.toContain('wrong');
});

test('strange certificates and a wrong password of Redis are told from a store that is away', async () => {
  const { certFile, keyFile } = await authority.issue('DNS:localhost');
  const strange = createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) }).listen(0, '127.0.0.1');
  await once(strange, 'listening');
  const { port } = strange.address() as AddressInfo;
  try {
    const tls = await check({ REDIS_URL: `rediss://localhost:${port}`, TELEGRAM_API_URL: `https://localhost:${port}` });
    expect(tls.found).toEqual([
      expect.stringMatching(/^fail redis: Redis refuses this REDIS_URL: .*certificate/),
      expect.stringMatching(/^fail platform: .*certificate/),
    ]);
  } finally {
    strange.close();
  }
  const login = await check({ REDIS_URL: `redis://flotilla:wrong@127.0.0.1:${redis.port}` });
  expect(login.found).toEqual([expect.stringMatching(/^fail redis: .*WRONGPASS/)]);
});

test('a clock that is apart from both stores fails, because nothing would be deleted', async () => {
  const ahead = 'data:text/javascript,const%20now=Date.now;Date.now=()=>now()+600000';
  expect((await check({ NODE_OPTIONS: `--import=${ahead}` })).found).toEqual([
    expect.stringMatching(/^fail clock beside Postgres: .*ahead/),
    expect.stringMatching(/^fail clock beside Redis: .*ahead/),
  ]);
});

test('a database without migrations whose role may make no tables is told, and a platform that is another server', async () => {
  const [role, name] = [`reader_${process.pid}`, `empty_${process.pid}`];
  await administer(database.url, `create role ${role} login password 'password'`);
  await administer(database.url, `create database ${name}`);
  const page = await startBackend((_request, response) => void response.end('<html>It works!</html>'));
  const url = Object.assign(new URL(databaseUrl(database.url, name)), { username: role, password: 'password' }).href;
  const { found } = await check({ DATABASE_URL: url, TELEGRAM_API_URL: page.url });
  await page.stop();
  await administer(database.url, `drop database ${name} with (force)`);
  await administer(database.url, `drop role ${role}`);
  expect(found).toEqual([
    expect.stringMatching(/^fail postgres rights: its role may make no tables/),
    expect.stringMatching(/^fail postgres schema: it lacks \d+ migrations/),
    expect.stringMatching(/^fail platform: .*no Bot API answer/),
  ]);
});

test('an address that the platform cannot reach fails once a bot needs it; settings that nobody has are refused', async () => {
  const nowhere = { PUBLIC_URL: `https://127.0.0.1:${await freePort()}`, TRUSTED_PROXIES: '10.0.0.0/8' };
  expect((await check({ ...nowhere, TRUSTED_PROXIES: '' })).found).toEqual([
    expect.stringMatching(/^warn public url: /),
    expect.stringMatching(/^warn trusted proxies: .*lock out all/),
  ]);
  expect((await check(nowhere)).found).toEqual([expect.stringMatching(/^warn public url: .*ECONNREFUSED/)]);
  const bot = await storedBot(database.db);
  await database.db.updateTable('bots').set({ webhook_mode: true }).where('id', '=', bot).execute();
  expect((await check(nowhere)).found).toEqual([expect.stringMatching(/^fail public url: .*ECONNREFUSED/)]);
  const { exitCode, found } = await check({ PUBLIC_URLS: 'x', REDIS_DURABILITY: 'perhaps' });
  expect(exitCode).toBe(1);
  expect(found).toEqual([
    expect.stringMatching(/^fail REDIS_DURABILITY: must be checked or provider/),
    expect.stringMatching(/^fail PUBLIC_URLS: there is no such setting; did you mean PUBLIC_URL/),
  ]);
});

test('settings that only the api or only a worker reads are refused as these would refuse them', async () => {
  const { found } = await check({ LIVE_STREAMS: 'many', WORKER_ROLES: 'poling', REDIS_EVICTION: 'perhaps' });
  expect(found).toEqual([
    expect.stringMatching(/^fail REDIS_EVICTION: /),
    expect.stringMatching(/^fail LIVE_STREAMS: /),
    expect.stringMatching(/^fail WORKER_ROLES: must be a comma-separated list/),
  ]);
  expect((await check({ PROXY_PREFIX: '/api/bots' })).found).toEqual([
    'fail PROXY_PREFIX: /api is a path of the service itself',
  ]);
  // A worker has no PORT, and its METRICS_PORT may be the one that an api would have as PORT.
  expect((await check({ METRICS_PORT: '8080' })).found.join()).not.toContain('METRICS_PORT');
  expect((await check({ METRICS_PORT: '8081', PORT: '8081' })).found).toEqual([
    expect.stringMatching(/^fail PORT, METRICS_PORT: must differ/),
  ]);
});
