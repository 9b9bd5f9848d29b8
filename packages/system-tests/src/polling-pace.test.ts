import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const AT_ONCE = 2;
const BOTS = 10;
/** The promise is 30 s; the margin is for a busy machine. */
const EACH_WITHIN_MS = 45_000;

let fleet: Fleet;
let backend: TestBackend;

beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 1 }, { POLLING_CONCURRENCY: String(AT_ONCE) });
  backend = await startBackend();
}, 60_000);
afterAll(async () => {
  await fleet?.stop();
  await backend?.stop();
}, 60_000);

test('more bots than a worker may poll at once share it: what comes for any of them arrives within half a minute', async () => {
  const bots: FleetBot[] = [];
  for (let at = 0; at < BOTS; at += 1) {
    bots.push(await fleet.addBot({ proxy_enabled: true, backend_url: `${backend.url}/${at}` }));
  }
  const say = (bot: FleetBot) =>
    fleet.control.injectUpdate({
      bot: bot.platformId,
      kind: 'message',
      raw: `{"message_id":1,"date":${Math.floor(Date.now() / 1000)},"chat":{"id":5,"type":"private"},"text":"hello"}`,
    });
  const arrived = () => new Set(backend.requests.map(({ url }) => url)).size;
  // After this first round the worker has counted the bots.
  await Promise.all(bots.map(say));
  await waitFor(() => arrived() === BOTS, { timeoutMs: 240_000, message: 'every bot to be polled once' });
  backend.requests.splice(0);
  const saidAtMs = performance.now();
  await Promise.all(bots.map(say));
  await waitFor(() => arrived() === BOTS, { timeoutMs: 240_000 });
  expect(performance.now() - saidAtMs).toBeLessThan(EACH_WITHIN_MS);
}, 600_000);
