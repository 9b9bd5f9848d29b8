import { readFileSync } from 'node:fs';
import { freePort } from '@flotilla/embedded/free-port.ts';
import { parseRedisUrl } from '@flotilla/runtime/redis-url.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const OURS = /Flotilla's own/;
const GATEWAY = /gateway/;

let fleet: Fleet;
let backend: TestBackend;

beforeAll(async () => {
  // All private addresses are allowed, so no setting can allow what is refused here.
  fleet = await startFleet({ apis: 1, workers: 1 }, { BACKEND_ALLOWED_CIDRS: '0.0.0.0/0,::/0' });
  backend = await startBackend();
}, 60_000);
afterAll(async () => {
  await backend.stop();
  await fleet.stop();
}, 60_000);

const portOf = (url: string) => Number(new URL(url).port);

/** The port of the first server in REDIS_URL: the server itself, a Sentinel or a cluster node. */
function portOfRedis(url: string): number {
  const target = parseRedisUrl(url);
  if (target.form === 'sentinel') return target.sentinels[0]!.port;
  return target.form === 'cluster' ? target.nodes[0]!.port : target.address.port;
}

const refusalByRest = (bot: FleetBot, url: string): Promise<string> =>
  fleet.rest('/api/bots/update', { id: bot.id, backend_url: url }).then(
    () => 'accepted',
    (error: Error) => error.message,
  );

/** The reasons why this backend is refused: by REST, and by the bot's own setWebhook. */
async function refusalsOf(bot: FleetBot, url: string): Promise<string[]> {
  const set = async () => {
    const response = await fetch(`${fleet.url}/tgapi/bot${bot.token}/setWebhook?url=${encodeURIComponent(url)}`);
    const answer = (await response.json()) as { ok: boolean; description: string };
    return response.status !== 429 && (answer.ok ? 'accepted' : answer.description);
  };
  return [await refusalByRest(bot, url), (await waitFor(set)) as string];
}

/** The gateways in the kernel's routing table. */
function gateways(): string[] {
  const [, ...routes] = readFileSync('/proc/net/route', 'utf8').trim().split('\n');
  return routes
    .map((route) => route.split('\t')[2]!)
    .filter((gateway) => gateway !== '00000000')
    .map((gateway) => Buffer.from(gateway, 'hex').reverse().join('.'));
}

test('no process of ours, its probes and metrics, no store and no platform is a backend, under whatever name', async () => {
  const bot = await fleet.addBot();
  const [api, worker] = [fleet.apis[0]!, fleet.workers[0]!];
  const ports = {
    'the api': api.port,
    'metrics of the api': api.metricsPort,
    'metrics of the worker': worker.metricsPort,
    Postgres: portOf(fleet.database.url),
    Redis: portOfRedis(fleet.redis.url),
    'the platform': portOf(fleet.simulator.url),
  };
  // Wait until the api knows the address on which the worker listens. Each try has another path, because what the bot has
  // already is no change and is not checked.
  let tries = 0;
  const known = async () => {
    tries += 1;
    expect(await refusalByRest(bot, `http://127.0.0.1:${worker.metricsPort}/${tries}`)).toMatch(OURS);
    return true;
  };
  await waitFor(known, { timeoutMs: 60_000, message: 'the api to know of the worker' }).catch((error) => {
    throw new Error(`${error.message}\n${api.output()}\n${worker.output()}`, { cause: error });
  });
  for (const [what, port] of Object.entries(ports)) {
    for (const host of ['127.0.0.1', 'localhost', '127.1', '0.0.0.0', '[::ffff:127.0.0.1]', '[::1]']) {
      const refusals = await refusalsOf(bot, `http://${host}:${port}/x`);
      expect({ what, host, refusals }).toEqual({
        what,
        host,
        refusals: [expect.stringMatching(OURS), expect.stringMatching(OURS)],
      });
    }
  }
  expect(await refusalsOf(bot, backend.url)).toEqual(['accepted', 'accepted']);
}, 120_000);

test("the gateway of the network is no backend: in a container it is the machine's own bridge", async () => {
  const bot = await fleet.addBot();
  for (const gateway of gateways()) {
    for (const port of [80, 8080]) {
      const refusals = await refusalsOf(bot, `http://${gateway}:${port}/`);
      expect(refusals).toEqual([expect.stringMatching(GATEWAY), expect.stringMatching(GATEWAY)]);
    }
  }
}, 60_000);

test('an address that becomes ours after it was saved is refused when connecting', async () => {
  const port = await freePort();
  const bot = await fleet.addBot({ proxy_enabled: true, backend_url: `http://127.0.0.1:${port}/api/bots` });
  const api = await fleet.start('api', { LOG_LEVEL: 'debug' }, port);
  await fleet.control.injectUpdate({
    bot: bot.platformId,
    kind: 'message',
    raw: `{"message_id":1,"date":${Math.floor(Date.now() / 1000)},"chat":{"id":5,"type":"private"},"text":"hello"}`,
  });
  type Delivery = { last_error: string; reason_code: string };
  const refused = async () =>
    (await fleet.rest<Delivery[]>(`/api/deliveries?bot_id=${bot.id}`)).some((delivery) =>
      OURS.test(delivery.last_error),
    );
  await waitFor(refused, { timeoutMs: 60_000, message: 'the refusal' });
  expect(await fleet.rest(`/api/deliveries?bot_id=${bot.id}`)).toMatchObject([{ reason_code: 'forbidden_address' }]);
  // Either api may answer, and one of them learns of the new address a little later.
  type Health = { healthy: boolean; status_code: number };
  const health = () => fleet.rest<Health>(`/api/bots/health?id=${bot.id}`);
  const unreached = async () => [await health(), await health()].every(({ status_code }) => status_code === 0);
  await waitFor(unreached, { timeoutMs: 30_000, message: 'both to know of it' });
  expect(await health()).toMatchObject({ healthy: false, status_code: 0 });
  // From then on no attempt reaches that api.
  const tries = async () => (await fleet.rest<unknown[]>(`/api/deliveries/attempts?bot_id=${bot.id}`)).length;
  const reached = () => api.output().split('"method":"POST","path":"/api/bots"').length;
  const [triesBefore, reachedBefore] = [await tries(), reached()];
  await waitFor(async () => (await tries()) > triesBefore, { timeoutMs: 60_000, message: 'another try' });
  expect(reached()).toBe(reachedBefore);
}, 150_000);
