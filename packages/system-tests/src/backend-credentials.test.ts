import { randomBytes } from 'node:crypto';
import { freePort } from '@flotilla/embedded/free-port.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { everythingInPostgres, everythingInRedis } from '@flotilla/testing/everything-stored.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const drawn = (): string => randomBytes(18).toString('hex');
const [USER, PASSWORD, KEY] = [drawn(), drawn(), drawn()];
const SECRETS = { USER, PASSWORD, KEY, basic: Buffer.from(`${USER}:${PASSWORD}`).toString('base64') };

type Shown = { id: number; backend_url: string; backend_state: string; last_error: string };

let database: TestDatabase;
let fleet: Fleet;
let redis: RedisHandles;
let backend: TestBackend;
let fails: boolean;

beforeAll(async () => {
  database = await testDatabase();
  fleet = await startFleet({ apis: 1, workers: 1 }, { LOG_LEVEL: 'debug' }, database);
  redis = await connectRedis({ url: fleet.redis.url, log: { warn: () => {} } });
  fails = false;
  backend = await startBackend((request, response) => {
    response.writeHead(fails || request.url.startsWith('/fails') ? 500 : 200).end();
  });
}, 60_000);
afterAll(async () => {
  await backend.stop();
  await redis.close();
  await fleet.stop();
  await database.drop();
}, 60_000);

const withCredentials = (origin: string, path: string) =>
  `${origin.replace('//', `//${USER}:${PASSWORD}@`)}${path}?key=${KEY}&${KEY}`;
const say = (bot: FleetBot, text: string) =>
  fleet.control.injectUpdate({
    bot: bot.platformId,
    kind: 'message',
    raw: `{"message_id":1,"date":${Math.floor(Date.now() / 1000)},"chat":{"id":5,"type":"private"},"text":"${text}"}`,
  });
const listed = async (key?: string): Promise<Shown[]> => {
  if (key === undefined) return fleet.rest<Shown[]>('/api/bots');
  const response = await fetch(`${fleet.url}/api/bots`, { headers: { authorization: `Bearer ${key}` } });
  return (await response.json()) as Shown[];
};
const shown = async (bot: FleetBot, key?: string) => (await listed(key)).find(({ id }) => id === bot.id);

/** Lists where any of the secrets occurs in these texts. */
function leaksIn(texts: Record<string, string>): string[] {
  return Object.entries(texts).flatMap(([where, text]) =>
    Object.entries(SECRETS)
      .filter(([, secret]) => text.includes(secret))
      .map(([what]) => `${what} in ${where}`),
  );
}

/** Creates a key with the role user for the admin's own account. */
async function userKey(): Promise<string> {
  const made = await fleet.rest<{ key: string }>('/api/auth/api-keys', { name: 'a user', role: 'user' });
  return made.key;
}

test('credentials in a backend URL are used, shown to admins and to the bot itself, and are nowhere else', async () => {
  const works = await fleet.addBot({ proxy_enabled: true, backend_url: withCredentials(backend.url, '/works') });
  const failing = await fleet.addBot({ proxy_enabled: true, backend_url: withCredentials(backend.url, '/fails') });
  const nowhere = withCredentials(`http://127.0.0.1:${await freePort()}`, '/nowhere');
  const closed = await fleet.addBot({ proxy_enabled: true, backend_url: nowhere });
  const set = await fleet.addBot();
  const url = withCredentials(backend.url, '/Set%20by/itself');
  const answer = await fetch(`${fleet.url}/tgapi/bot${set.token}/setWebhook?url=${encodeURIComponent(url)}`);
  expect(await answer.json()).toMatchObject({ description: 'Webhook was set' });
  for (const bot of [works, failing, closed, set]) await say(bot, `for bot ${bot.id}`);

  // The credentials work: in the Basic header and in the query.
  const received = await waitFor(() => backend.requests.find((request) => request.url.startsWith('/works')));
  expect(received?.headers.authorization).toBe(`Basic ${SECRETS.basic}`);
  expect(received?.url).toBe(`/works?key=${KEY}&${KEY}`);
  await waitFor(async () => (await shown(failing))?.last_error !== '' && (await shown(closed))?.last_error !== '');
  const attempts = [];
  for (const bot of [works, failing, closed]) {
    attempts.push(await fleet.rest(`/api/deliveries/attempts?bot_id=${bot.id}`));
    attempts.push(await fleet.rest(`/api/deliveries?bot_id=${bot.id}`));
    attempts.push(await fleet.rest(`/api/bots/health?id=${bot.id}`));
  }
  await expect(
    fleet.rest('/api/bots/update', { id: works.id, backend_url: withCredentials('http://10.0.0.1', '/') }),
  ).rejects.toThrow(/^(?!.*key=).*reserved/);
  await waitFor(async () => (await fleet.rest<unknown[]>(`/api/messages?bot_id=${set.id}&chat_id=5`)).length === 1);

  // An admin and the holder of the bot's token see the whole URL; a user sees enough to recognise it.
  expect((await shown(set))?.backend_url).toBe(url);
  const info = await fetch(`${fleet.url}/tgapi/bot${set.token}/getWebhookInfo`);
  expect(await info.json()).toMatchObject({ result: { url } });
  const key = await userKey();
  const masked = `${backend.url.replace('//', '//****@')}/Set%20by/itself?key=****&****`;
  expect((await shown(set, key))?.backend_url).toBe(masked);

  const texts: Record<string, string> = {
    Postgres: await everythingInPostgres(database.db),
    Redis: await everythingInRedis(redis.commands),
    deliveries: JSON.stringify(attempts),
    'the list of bots as a user sees it': JSON.stringify(await listed(key)),
  };
  for (const process of [...fleet.apis, ...fleet.workers]) {
    texts[`log of the ${process.role}`] = process.output();
    const metrics = await fetch(`http://127.0.0.1:${process.metricsPort}/metrics`);
    texts[`metrics of the ${process.role}`] = await metrics.text();
  }
  expect(texts.Postgres).toContain(`for bot ${set.id}`);
  expect(leaksIn(texts)).toEqual([]);
}, 90_000);

test('bots with the same URL and credentials still resume one another', async () => {
  const url = withCredentials(backend.url, '/shared');
  const bots = [
    await fleet.addBot({ proxy_enabled: true, backend_url: url }),
    await fleet.addBot({ proxy_enabled: true, backend_url: url }),
  ] as const;
  fails = true;
  for (const bot of bots) await say(bot, 'while it fails');
  const opened = async () =>
    (await Promise.all(bots.map((bot) => shown(bot)))).every((bot) => bot?.backend_state === 'open');
  await waitFor(opened, { timeoutMs: 60_000, message: 'both to be closed' });
  // The second bot's own probe is 10 minutes away, so only the first bot's success can close its breaker.
  await redis.commands.hset(botKeys(bots[1].id).state, 'openUntil', Date.now() + 600_000);
  fails = false;
  const resumed = async () => (await shown(bots[1]))?.backend_state === 'ok';
  await waitFor(resumed, { timeoutMs: 60_000, message: 'the other to be resumed' });
}, 150_000);
