import { randomBytes } from 'node:crypto';
import { freePort } from '@flotilla/embedded/free-port.ts';
import { connectRedis } from '@flotilla/redis/connect.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { everythingInPostgres, everythingInRedis } from '@flotilla/testing/everything-stored.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import type { FleetProcess } from '@flotilla/testing/fleet/fleet-process.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const drawn = (): string => randomBytes(18).toString('hex');
const ENCRYPTION_KEY = randomBytes(32).toString('base64');
const SETTINGS = {
  LOG_LEVEL: 'debug',
  PUBLIC_URL: 'http://127.0.0.1:1',
  ENCRYPTION_KEY,
  ADMIN_API_KEY: 'flt_system-tests-admin-key-0123456789',
  ADMIN_PASSWORD: `admin-${drawn()}`,
};
const REDIS_PASSWORD = `redis-${drawn()}`;
const WRONG_PASSWORD = `wrong-${drawn()}`;
const BACKEND_SECRET = `backend_${drawn()}`;
const BACKEND_PASSWORD = `backend-${drawn()}`;
const BACKEND_KEY = `backend-${drawn()}`;

let fleet: Fleet;
let database: TestDatabase;
let server: TestRedis;
let redisUrl: string;
let backend: TestBackend;
/** The secrets that must appear nowhere, by name. */
const secrets: Record<string, string> = {
  ENCRYPTION_KEY,
  ADMIN_API_KEY: SETTINGS.ADMIN_API_KEY,
  ADMIN_PASSWORD: SETTINGS.ADMIN_PASSWORD,
  REDIS_PASSWORD,
  WRONG_PASSWORD,
  BACKEND_SECRET,
  BACKEND_PASSWORD,
  BACKEND_KEY,
};
/** All output, including that of ended processes. */
const outputs: Record<string, string> = {};

beforeAll(async () => {
  database = await testDatabase();
  secrets.DATABASE_PASSWORD = decodeURIComponent(new URL(database.url).password);
  expect(secrets.DATABASE_PASSWORD).not.toBe('');
  server = await startTestRedis({ directives: { requirepass: REDIS_PASSWORD } });
  redisUrl = `redis://:${REDIS_PASSWORD}@127.0.0.1:${server.port}`;
  fleet = await startFleet({ apis: 1, workers: 1 }, SETTINGS, database, { url: redisUrl, port: server.port });
  backend = await startBackend((request, response) => {
    if (request.url.startsWith('/hangs')) return;
    response.writeHead(request.url.startsWith('/well') ? 200 : 500).end('no');
  });
}, 60_000);
afterAll(async () => {
  await backend?.stop();
  await fleet?.stop();
  await server?.stop();
  await database?.drop();
}, 60_000);

function withPassword(url: string, password: string): string {
  return Object.assign(new URL(url), { password }).href;
}

function keepToken(name: string, token: string): void {
  secrets[`${name}'s token`] = token;
  secrets[`${name}'s token, the secret half`] = token.slice(token.indexOf(':') + 1);
  secrets[`${name}'s token, encoded`] = encodeURIComponent(token);
}

/** Starts a process that must end by itself or wait for ever; returns its output until then. */
async function failing(
  name: string,
  role: 'api' | 'worker',
  settings: Record<string, string>,
  end = 'The process ended',
): Promise<void> {
  const ended = await fleet.start(role, settings).then(
    () => 'it runs',
    (error: Error) => error.message,
  );
  expect([name, ended]).toEqual([name, expect.stringContaining(end)]);
  outputs[name] = ended;
}

const call = (port: number, path: string, init: RequestInit = {}): Promise<Response | null> =>
  fetch(`http://127.0.0.1:${port}${path}`, { ...init, signal: AbortSignal.timeout(8_000) }).catch(() => null);

async function useEverythingBadly(process: FleetProcess, token: string): Promise<void> {
  const json = { 'content-type': 'application/json' };
  const proxied = [
    'getMe',
    'sendMessage?chat_id=1&text=x',
    'getUpdates',
    'getWebhookInfo',
    'unknown',
    'setWebhook?url=http://10.0.0.1',
  ];
  for (const written of [token, encodeURIComponent(token)]) {
    for (const method of proxied) await call(process.port, `/tgapi/bot${written}/${method}`);
    await call(process.port, `/file/bot${written}/documents/f`);
    await call(process.port, `/nowhere/bot${written}?token=${written}`);
  }
  for (const authorization of [`Bearer ${SETTINGS.ADMIN_API_KEY}x`, `Bearer ${token}`]) {
    await call(process.port, '/api/bots', { headers: { authorization } });
  }
  const key = { ...json, authorization: `Bearer ${SETTINGS.ADMIN_API_KEY}` };
  for (const path of ['/api/bots/add', '/api/bots/validate', `/api/bots/add?token=${token}`]) {
    await call(process.port, path, { method: 'POST', headers: key, body: JSON.stringify({ token, bogus: token }) });
    await call(process.port, path, { method: 'POST', headers: key, body: `{"token":"${token}` });
  }
  for (const password of [SETTINGS.ADMIN_PASSWORD, WRONG_PASSWORD]) {
    const answer = await call(process.port, '/api/auth/login', {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ username: 'admin', password }),
    });
    const session = /session=([^;]+)/.exec(answer?.headers.get('set-cookie') ?? '')?.[1];
    // The signature is the secret part of the cookie: the session id alone opens nothing.
    if (session !== undefined) secrets.session = decodeURIComponent(session).split('.')[1]!;
  }
}

test('no token, key, password or secret is in logs, metrics, Postgres or Redis, whatever fails at debug level', async () => {
  const [api, worker] = [fleet.apis[0]!, fleet.workers[0]!];
  const person = await fleet.control.createPerson({});
  const bots: FleetBot[] = [];
  for (const path of ['/well', '/fails', '/hangs', '/closed']) {
    const origin = path === '/closed' ? `http://127.0.0.1:${await freePort()}` : backend.url;
    const backend_url = `${origin.replace('//', `//bot:${BACKEND_PASSWORD}@`)}${path}?key=${BACKEND_KEY}`;
    const bot = await fleet.addBot({ proxy_enabled: true, backend_url, secret_token: BACKEND_SECRET });
    keepToken(path, bot.token);
    bots.push(bot);
    await fleet.control.startBot({ person: person.id, bot: bot.platformId });
  }
  const hook = await fleet.addBot({ webhook_mode: true, long_poll_enabled: true });
  keepToken('the pushed bot', hook.token);
  secrets['the secret of the intake'] = (await fleet.control.readWebhook({ bot: hook.platformId })).secretToken;
  const made = await fleet.rest<{ key: string }>('/api/auth/api-keys', { name: 'made' });
  secrets['a key that was made'] = made.key;

  await useEverythingBadly(api, bots[0]!.token);
  for (const effect of [
    { kind: 'status', status: 401, description: 'Unauthorized' },
    { kind: 'status', status: 500, body: 'garbage' },
    { kind: 'reset' },
  ] as const) {
    await fleet.control.setFault({ effect, count: 40 });
    await useEverythingBadly(api, bots[1]!.token);
  }
  await fleet.control.clearFaults({});

  // The platform is unreachable, and the token is part of every URL.
  const unreachable = { TELEGRAM_API_URL: `http://127.0.0.1:${await freePort()}` };
  for (const role of ['api', 'worker'] as const) {
    const process = await fleet.start(role, unreachable);
    if (role === 'api') await useEverythingBadly(process, bots[2]!.token);
    else await waitFor(async () => process.output() !== '', { timeoutMs: 10_000 });
  }

  // Processes that crash with an uncaught error that contains every secret.
  const known = { KNOWN_TOKEN: bots[0]!.token, KNOWN_SECRET: BACKEND_SECRET };
  const crash = (kind: string) =>
    `--import=data:text/javascript,${encodeURIComponent(
      `const known = [process.env.DATABASE_URL, process.env.REDIS_URL, 'https://api.telegram.org/bot' + process.env.KNOWN_TOKEN + '/getMe', 'Authorization: Bearer ' + process.env.ADMIN_API_KEY, 'ENCRYPTION_KEY=' + process.env.ENCRYPTION_KEY].join(' ');` +
        `setTimeout(() => { const error = Object.assign(new Error(known), { config: { headers: { 'X-Telegram-Bot-Api-Secret-Token': process.env.KNOWN_SECRET }, password: process.env.ADMIN_PASSWORD } }); ${kind} }, 1);`,
    )}`;
  await failing('an exception', 'api', { ...known, NODE_OPTIONS: crash('throw error;') });
  await failing('a rejection', 'worker', { ...known, NODE_OPTIONS: crash('Promise.reject(error);') });
  await failing('Postgres refuses', 'api', {
    DATABASE_URL: withPassword(database.url, WRONG_PASSWORD).replace(/test_\w+$/, 'absent'),
  });
  const postgresAway = { DATABASE_URL: `postgres://flotilla:${WRONG_PASSWORD}@127.0.0.1:${await freePort()}/x` };
  await failing('Postgres is away', 'worker', postgresAway, 'waiting for Postgres');
  await failing('Redis refuses', 'api', { REDIS_URL: `redis://:${WRONG_PASSWORD}@127.0.0.1:${server.port}` });
  const redisAway = { REDIS_URL: `redis://:${WRONG_PASSWORD}@127.0.0.1:${await freePort()}` };
  await failing('Redis is away', 'worker', redisAway, 'waiting for Redis');
  await failing('no URLs', 'api', {
    DATABASE_URL: `postgres//flotilla:${WRONG_PASSWORD}@h`,
    REDIS_URL: `redis:/:${WRONG_PASSWORD}@h:x`,
    ADMIN_API_KEY: WRONG_PASSWORD,
    ENCRYPTION_KEY: WRONG_PASSWORD,
  });

  const observer = await connectRedis({ url: redisUrl, log: { warn: () => {} } });
  await waitFor(async () => (await observer.commands.keys('*:attempts')).length >= 2, {
    timeoutMs: 30_000,
    message: 'failed deliveries',
  });
  for (const process of [...fleet.apis, ...fleet.workers]) {
    const name = `${process.role} ${process.metricsPort}`;
    outputs[`log of ${name}`] = process.output();
    const metrics = await fetch(`http://127.0.0.1:${process.metricsPort}/metrics`);
    outputs[`metrics of ${name}`] = await metrics.text();
  }
  outputs.Redis = await everythingInRedis(observer.commands);
  await observer.close();
  outputs.Postgres = await everythingInPostgres(database.db);
  expect(outputs[`log of api ${api.metricsPort}`]?.split('\n').length).toBeGreaterThan(30);
  expect(outputs[`log of worker ${worker.metricsPort}`]?.length).toBeGreaterThan(0);
  expect(outputs['an exception']).toContain('unhandled error');
  expect(secrets.session?.length).toBeGreaterThan(10);

  const found = Object.entries(outputs).flatMap(([where, text]) =>
    Object.entries(secrets)
      .filter(([, secret]) => text.includes(secret))
      .map(([what, secret]) => `${what} in ${where}: …${around(text, secret)}…`),
  );
  expect(found).toEqual([]);
}, 240_000);

function around(text: string, secret: string): string {
  const at = text.indexOf(secret);
  return `${text.slice(Math.max(0, at - 100), at)}<it>${text.slice(at + secret.length, at + secret.length + 40)}`;
}
