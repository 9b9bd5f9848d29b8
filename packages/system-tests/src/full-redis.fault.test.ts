import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { readMemory, shareOf } from '@flotilla/redis/memory.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type Ledger, ledger } from './ledger.ts';

const CHATS = 10;
const MB = 1024 * 1024;

let fleet: Fleet;
let redis: RedisHandles;
let backend: TestBackend;
let books: Map<string, Ledger>;
/** Paths of backends that refuse every request. */
let dead: Set<string>;
let watching = false;

beforeEach(async () => {
  fleet = await startFleet({ apis: 1, workers: 2 }, { PUBLIC_URL: 'http://127.0.0.1:1' });
  redis = await connectRedis({ url: fleet.redis.url, log: { warn: () => {} } });
  books = new Map();
  dead = new Set();
  backend = await startBackend((request, response) => {
    if (dead.has(request.url)) return void response.writeHead(503).end();
    bookOf(request.url).record(request.text);
    response.end();
  });
}, 60_000);
afterEach(async () => {
  watching = false;
  await backend.stop();
  await redis.close();
  await fleet.stop();
}, 60_000);

const bookOf = (path: string): Ledger => {
  const book = books.get(path) ?? ledger();
  books.set(path, book);
  return book;
};
const pushedBot = (path: string): Promise<FleetBot> =>
  fleet.addBot({ proxy_enabled: true, backend_url: `${backend.url}${path}` });
const memory = () => readMemory(redis, null);
const limitMemory = async (bytes: number) => {
  await Promise.all(redis.servers().map((server) => server.config('SET', 'maxmemory', Math.ceil(bytes))));
};
const everyProcess = () => [...fleet.apis, ...fleet.workers];
const warningsOf = async (port: number): Promise<string> => {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { warnings: string[] }).warnings.join();
};
/** Resolves when some or every process warns of it; each process warns of what it measured itself. */
async function untilWarned(by: 'some' | 'every', pattern: RegExp, beforeEachLook = async () => {}): Promise<void> {
  let warned: string[] = [];
  const told = async () => {
    await beforeEachLook();
    warned = await Promise.all(everyProcess().map(({ metricsPort }) => warningsOf(metricsPort)));
    return warned[by]((text) => pattern.test(text));
  };
  await waitFor(told, { timeoutMs: 60_000 }).catch(() => {
    throw new Error(`They say ${JSON.stringify(warned)} and not ${pattern}`);
  });
}
type ShownBot = { id: number; last_error?: string; pending_update_count: number };
const shown = async ({ id }: FleetBot): Promise<ShownBot> =>
  (await fleet.rest<ShownBot[]>('/api/bots')).find((bot) => bot.id === id)!;
const isTold = (bot: FleetBot, error: string) =>
  waitFor(async () => (await shown(bot)).last_error?.startsWith(error), { timeoutMs: 60_000, message: error });
const send = (bot: FleetBot, chat: number) =>
  fetch(`${fleet.url}/tgapi/bot${bot.token}/sendMessage?chat_id=${chat}&text=x`).then((response) => response.status);

/** Pushes an update as the platform does; the same update may be pushed several times. */
async function push(bot: FleetBot, updateId: number): Promise<number> {
  const { secretToken } = await fleet.control.readWebhook({ bot: bot.platformId });
  const response = await fetch(`${fleet.url}/telegram/${bot.id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secretToken },
    body: `{"update_id":${updateId},"message":{"message_id":1,"date":1,"chat":{"id":5,"type":"private"},"text":"t"}}`,
  });
  if (response.status === 503) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  return response.status;
}

/** Samples the share of memory in use until the returned function stops it and returns the largest share. */
function watchShare(): () => Promise<number> {
  let largest = 0;
  watching = true;
  const watched = (async () => {
    while (watching) {
      largest = Math.max(largest, await memory().then(shareOf, () => 0));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  return async () => {
    watching = false;
    await watched;
    return largest;
  };
}

describe('a Redis that fills up', () => {
  test('intake stops in two steps before the limit, what is left drains, and everything arrives', async () => {
    const person = await fleet.control.createPerson({});
    const [stuck, well] = [await pushedBot('/stuck'), await pushedBot('/well')];
    const hook = await fleet.addBot({ long_poll_enabled: true, webhook_mode: true });
    await fleet.control.startBot({ person: person.id, bot: well.platformId });
    dead.add('/stuck');
    await limitMemory((await memory()).usedBytes + 24 * MB);
    const largestShare = watchShare();

    // Twice the data that Redis has room for: without the limit it would be full long before the end.
    const load = { chats: CHATS, count: 30_000, prefix: 'x'.repeat(1_000) };
    await fleet.control.generate({ bots: [stuck.platformId], ...load });
    // A process that measured at another moment does not warn, so some is enough.
    await untilWarned('some', /bots with 2000 or more updates waiting take no more in/);
    await isTold(stuck, 'Redis is short of memory; the platform keeps the rest');
    await fleet.control.generate({ bots: [well.platformId], chats: CHATS, count: 500, perSecond: 100, prefix: 'a' });
    await waitFor(() => bookOf('/well').count() === 500, {
      timeoutMs: 30_000,
      message: 'those of the bot that drains',
    });
    expect(await push(hook, 1)).toBe(200);
    const largest = await largestShare();
    expect(largest).toBeGreaterThan(0.55);
    // From 0.8 on no bot takes updates in: the first step alone must keep the share below that.
    expect(largest).toBeLessThan(0.8);
    // What the history has written leaves Redis again, so that the present share may be well below the largest.
    const reported = await readMetric(fleet.workers[0]!, 'flotilla_redis_memory_share');
    expect(reported).toBeGreaterThan(0.3);
    expect(reported).toBeLessThan(0.75);

    // What the history writes meanwhile leaves Redis, so the limit follows what is used.
    const tighten = async () => limitMemory((await memory()).usedBytes / 0.85);
    await untilWarned('every', /no bot takes updates in until it has room/, tighten);
    expect(await push(hook, 2)).toBe(503);
    await isTold(well, 'Redis is short of memory; the platform keeps the rest');
    await fleet.control.generate({ bots: [well.platformId], chats: CHATS, count: 500, prefix: 'b' });
    expect(await send(well, person.id)).toBe(200);
    await fleet.rest(`/api/updates/poll?bot_id=${hook.id}&timeout=0`);

    dead.clear();
    await waitFor(() => bookOf('/stuck').count() === load.count, { timeoutMs: 240_000, message: 'what was stuck' });
    await waitFor(() => bookOf('/well').count() === 1000, { timeoutMs: 30_000, message: 'those of the well bot' });
    await waitFor(async () => (await push(hook, 2)) === 200, { timeoutMs: 30_000 });
    await untilWarned('every', /^$/);
    expect(bookOf('/stuck').faults(load.count / CHATS)).toEqual([]);
    expect(bookOf('/stuck').duplicates()).toBe(0);
    const { result } = await fleet.rest<{ result: object[] }>(`/api/updates/poll?bot_id=${hook.id}&timeout=0`);
    expect(result).toHaveLength(2);
  }, 420_000);

  test('one that is full loses nothing, nobody crashes or asks in a loop, and all goes on when it has room', async () => {
    const person = await fleet.control.createPerson({});
    const [busy, hook] = [
      await pushedBot('/busy'),
      await fleet.addBot({ long_poll_enabled: true, webhook_mode: true }),
    ];
    await fleet.control.startBot({ person: person.id, bot: busy.platformId });
    const seconds = 40;
    await fleet.control.generate({ bots: [busy.platformId], chats: CHATS, count: 50 * seconds, perSecond: 50 });
    await waitFor(() => bookOf('/busy').count() > 200, { timeoutMs: 30_000 });

    await limitMemory(1);
    await untilWarned('every', /no bot takes updates in, and calls for the history wait/);
    const written = () => everyProcess().reduce((lines, one) => lines + one.output().split('\n').length, 0);
    const [linesBefore, fullAtMs] = [written(), performance.now()];
    expect(await push(hook, 1)).toBe(503);
    // Longer than the lock of a turn lives without a renewal.
    await waitFor(() => performance.now() - fullAtMs > 15_000, { timeoutMs: 20_000 });
    expect(await send(busy, person.id)).toBe(200);
    expect(await push(hook, 1)).toBe(503);
    expect(written() - linesBefore).toBeLessThan(200);

    await limitMemory(0);
    await waitFor(async () => (await push(hook, 1)) === 200, { timeoutMs: 10_000 });
    await waitFor(() => bookOf('/busy').count() === 50 * seconds, { timeoutMs: 60_000, message: 'every update' });
    await untilWarned('every', /^$/);
    expect(bookOf('/busy').faults(5 * seconds)).toEqual([]);
    expect(bookOf('/busy').duplicates()).toBeLessThanOrEqual(CHATS);
    for (const one of everyProcess()) expect(one.output()).not.toMatch(/unhandled|a turn failed/);
  }, 180_000);
});

describe('a bot at the limit of its backlog', () => {
  test('leaves the rest to the platform and says so, its neighbours go on, and all of it arrives', async () => {
    const [full, quiet] = [await fleet.addBot({ long_poll_enabled: true }), await pushedBot('/quiet')];
    const book = ledger();
    const each = 50_500;
    const pending = async () => (await shown(full)).pending_update_count;
    await fleet.control.generate({ bots: [full.platformId], chats: 1, count: each });
    await waitFor(async () => (await pending()) === each, { timeoutMs: 120_000, message: 'the first half' });
    await fleet.control.generate({ bots: [full.platformId], chats: 1, count: each });
    await isTold(full, 'The backlog is full; the platform keeps the rest');
    expect(await pending()).toBeGreaterThanOrEqual(100_000);
    expect(await pending()).toBeLessThan(100_100);
    await fleet.control.generate({ bots: [quiet.platformId], chats: 1, count: 50 });
    await waitFor(() => bookOf('/quiet').count() === 50, { timeoutMs: 20_000 });

    let offset = 0;
    const drain = async (): Promise<boolean> => {
      for (let read = 1; read > 0; ) {
        const answer = await fetch(`${fleet.url}/tgapi/bot${full.token}/getUpdates?timeout=1&offset=${offset}`);
        const { result } = (await answer.json()) as { result: { update_id: number }[] };
        for (const update of result) book.record(JSON.stringify(update));
        offset = (result.at(-1)?.update_id ?? offset - 1) + 1;
        read = result.length;
      }
      return book.count() === 2 * each;
    };
    await waitFor(drain, { timeoutMs: 240_000, message: 'every update' });
    expect(book.faults(each)).toEqual([]);
    expect(book.duplicates()).toBe(0);
    expect((await fleet.rest<object[]>('/api/bots')).length).toBe(2);
  }, 480_000);
});
