import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { busiestWorker } from '@flotilla/testing/fleet/busiest-worker.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import type { FleetProcess } from '@flotilla/testing/fleet/fleet-process.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Ledger, ledger } from './ledger.ts';

const CHATS = 10;
const PER_SECOND = 100;
const PER_CHAT = 250;
const LOAD = { chats: CHATS, count: CHATS * PER_CHAT, perSecond: PER_SECOND };
/** Covers the rest of the load and the promised takeover time after a kill. */
const ALL_ARRIVED_MS = 60_000;

const SIZE = { apis: 2, workers: 2 };

let fleet: Fleet;
/** Of all tests: they share the fleet. */
const bots: FleetBot[] = [];
let book: Ledger;
let backend: TestBackend;

beforeAll(async () => {
  fleet = await startFleet(SIZE);
}, 60_000);
beforeEach(async () => {
  book = ledger();
  backend = await startBackend((request, response) => {
    book.record(request.text);
    response.end();
  });
  const lost = [
    ...Array.from({ length: SIZE.apis - fleet.apis.length }, () => fleet.start('api')),
    ...Array.from({ length: SIZE.workers - fleet.workers.length }, () => fleet.start('worker')),
  ];
  await Promise.all(lost);
}, 60_000);
afterEach(() => backend.stop());
afterAll(() => fleet?.stop(), 60_000);

const addBot = async (fields: Record<string, unknown>): Promise<FleetBot> => {
  const bot = await fleet.addBot(fields);
  bots.push(bot);
  return bot;
};
const generate = (bot: FleetBot) => fleet.control.generate({ bots: [bot.platformId], ...LOAD });
const allArrived = () =>
  waitFor(() => book.count() === LOAD.count, { timeoutMs: ALL_ARRIVED_MS, message: 'every update to arrive' });
type Counts = { in: number; delivered: number; failed: number; calls: number };
/** What was counted in the last hour: of a bot, or of the fleet. */
const counted = async (of: string): Promise<Counts> => {
  const sum = { in: 0, delivered: 0, failed: 0, calls: 0 };
  for (const point of await fleet.rest<Counts[]>(`/api/activity?step=minute${of}`)) {
    for (const name of ['in', 'delivered', 'failed', 'calls'] as const) sum[name] += point[name];
  }
  return sum;
};
/** Each update is counted once in and once delivered, also one that was delivered twice; the fleet did what its bots did. */
const allCounted = async (bot: FleetBot) => {
  const all = { in: LOAD.count, delivered: LOAD.count, failed: 0, calls: 0 };
  // The last outcomes are settled after the backend has answered.
  await waitFor(async () => (await counted(`&bot_id=${bot.id}`)).delivered >= LOAD.count, { timeoutMs: 20_000 });
  expect(await counted(`&bot_id=${bot.id}`)).toEqual(all);
  // A bot of an earlier test may still have a last outcome to settle.
  await waitFor(async () => {
    const ofBots = await Promise.all(bots.map(({ id }) => counted(`&bot_id=${id}`)));
    const sum = (name: keyof Counts) => ofBots.reduce((total, one) => total + one[name], 0);
    const ofAll = { in: sum('in'), delivered: sum('delivered'), failed: sum('failed'), calls: sum('calls') };
    expect(await counted('')).toEqual(ofAll);
    return true;
  });
};
const kill = async (victim: FleetProcess, among: FleetProcess[]) => {
  among.splice(among.indexOf(victim), 1);
  await victim.kill();
};
describe('a process that is killed', () => {
  test('the worker that polls: another one goes on within 20 s, nothing is lost and each chat keeps its order', async () => {
    const bot = await addBot({ proxy_enabled: true, backend_url: backend.url });
    await generate(bot);
    await waitFor(() => book.count() > 200, { timeoutMs: 20_000 });
    await kill(await busiestWorker(fleet, 'polling'), fleet.workers);
    await allArrived();
    expect(book.faults(PER_CHAT)).toEqual([]);
    await allCounted(bot);
    expect(book.longestSilenceMs()).toBeLessThan(20_000);
    expect((await fleet.control.readCalls({ bot: bot.platformId })).pollsHighWater).toBe(1);
  }, 120_000);

  test('the worker that pushes: only what was in flight comes twice', async () => {
    const bot = await addBot({ proxy_enabled: true, backend_url: backend.url });
    await generate(bot);
    await waitFor(() => book.count() > 200, { timeoutMs: 20_000 });
    await kill(await busiestWorker(fleet, 'push'), fleet.workers);
    await allArrived();
    expect(book.faults(PER_CHAT)).toEqual([]);
    await allCounted(bot);
    expect(book.longestSilenceMs()).toBeLessThan(20_000);
    expect(book.duplicates()).toBeLessThanOrEqual(CHATS);
  }, 120_000);

  test('a worker that freezes for longer than its locks last, and goes on: another one did meanwhile, and neither disturbs the other', async () => {
    const bot = await addBot({ proxy_enabled: true, backend_url: backend.url });
    await generate(bot);
    await waitFor(() => book.count() > 200, { timeoutMs: 20_000 });
    const frozen = await busiestWorker(fleet, 'push');
    process.kill(frozen.pid, 'SIGSTOP');
    const before = book.count();
    try {
      await waitFor(() => book.count() > before + 10 * CHATS, { timeoutMs: 40_000, message: 'another to go on' });
    } finally {
      process.kill(frozen.pid, 'SIGCONT');
    }
    await allArrived();
    expect(book.faults(PER_CHAT)).toEqual([]);
    expect(book.longestSilenceMs()).toBeLessThan(20_000);
    expect(book.duplicates()).toBeLessThanOrEqual(CHATS);
    const readiness = await fetch(`http://127.0.0.1:${frozen.metricsPort}/readyz`);
    expect(readiness.status).toBe(200);
  }, 120_000);

  test('the api pod that a client polls: the client goes on elsewhere within 5 s, from its offset', async () => {
    const bot = await addBot({ long_poll_enabled: true });
    const [polled, other] = fleet.apis as [FleetProcess, FleetProcess];
    await generate(bot);
    let pod = polled;
    let offset = 0;
    const stopped = new AbortController();
    const polling = (async () => {
      while (!stopped.signal.aborted) {
        const url = `http://127.0.0.1:${pod.port}/tgapi/bot${bot.token}/getUpdates?timeout=30&offset=${offset}`;
        const answer = await fetch(url, { signal: stopped.signal }).then(
          (response) => response.json() as Promise<{ ok: boolean; result: { update_id: number }[] }>,
          () => null,
        );
        if (!answer?.ok) pod = other;
        for (const update of answer?.result ?? []) {
          book.record(JSON.stringify(update));
          offset = update.update_id + 1;
        }
      }
    })();
    await waitFor(() => book.count() > 200, { timeoutMs: 20_000 });
    await kill(polled, fleet.apis);
    await allArrived();
    await allCounted(bot);
    stopped.abort();
    await polling;
    expect(book.faults(PER_CHAT)).toEqual([]);
    expect(book.duplicates()).toBe(0);
    expect(book.longestSilenceMs()).toBeLessThan(5_000);
  }, 120_000);

  test('a worker with a hundred deliveries in flight: each arrives within 20 s, only those perhaps twice', async () => {
    const chats = 100;
    const count = 1000;
    let inFlight = 0;
    const slow = await startBackend(async (request, response) => {
      inFlight += 1;
      await new Promise((resolve) => setTimeout(resolve, 300));
      inFlight -= 1;
      if (!response.destroyed) book.record(request.text);
      response.end();
    });
    const bot = await addBot({ proxy_enabled: true, backend_url: slow.url, max_connections: 100 });
    await fleet.control.generate({ bots: [bot.platformId], chats, count });
    await waitFor(() => inFlight >= 90, { timeoutMs: 20_000, message: 'a hundred deliveries in flight' });
    await kill(await busiestWorker(fleet, 'push'), fleet.workers);
    await waitFor(() => book.count() === count, { timeoutMs: ALL_ARRIVED_MS, message: 'every update to arrive' });
    await slow.stop();
    expect(book.faults(count / chats)).toEqual([]);
    expect(book.longestSilenceMs()).toBeLessThan(20_000);
    expect(book.duplicates()).toBeLessThanOrEqual(chats);
  }, 120_000);

  test('an update that kills its worker each time is a dead letter after three; those beside it arrive, and it can be sent again', async () => {
    const neighbours = 5;
    const begun: string[] = [];
    let deadly = true;
    let deaths = 0;
    const texts: string[] = [];
    const slow = await startBackend(async (request, response) => {
      const text = JSON.parse(request.text).message.text as string;
      begun.push(text);
      // Keep the neighbours in flight too until two workers have died.
      if ((text === 'deadly' && deadly) || deaths < 2) return;
      texts.push(text);
      response.end();
    });
    const bot = await addBot({ proxy_enabled: true, backend_url: slow.url });
    const say = (chat: number, text: string) =>
      fleet.control.injectUpdate({
        bot: bot.platformId,
        kind: 'message',
        raw: `{"message_id":1,"date":${Math.floor(Date.now() / 1000)},"chat":{"id":${chat},"type":"private"},"text":"${text}"}`,
      });
    for (let chat = 1; chat <= neighbours; chat += 1) await say(chat, `beside ${chat}`);
    await say(99, 'deadly');
    const begunDeadly = () => begun.filter((text) => text === 'deadly').length;
    while (deaths < 3) {
      await waitFor(() => begunDeadly() === deaths + 1, { timeoutMs: 40_000, message: `attempt ${deaths + 1}` });
      await waitFor(() => deaths >= 2 || begun.length >= (deaths + 1) * (neighbours + 1), { timeoutMs: 20_000 });
      deaths += 1;
      await kill(await busiestWorker(fleet, 'push'), fleet.workers);
      await fleet.start('worker');
    }
    const letters = () =>
      fleet.rest<{ reason?: string; last_error: string }[]>(`/api/deliveries?bot_id=${bot.id}&state=dead`);
    await waitFor(async () => (await letters()).length > 0, { timeoutMs: 40_000, message: 'a dead letter' });
    await waitFor(() => new Set(texts).size === neighbours, { timeoutMs: 20_000, message: 'those beside it' });
    expect((await letters()).map(({ last_error }) => last_error)).toEqual([
      'its handling was begun 3 times and never ended',
    ]);
    expect(begunDeadly()).toBe(3);
    deadly = false;
    expect(await fleet.rest('/api/deliveries/redrive', { bot_id: bot.id })).toMatchObject({ ok: true, redriven: 1 });
    await waitFor(() => texts.includes('deadly'), { timeoutMs: 20_000, message: 'what was sent again' });
    await slow.stop();
  }, 240_000);
});
