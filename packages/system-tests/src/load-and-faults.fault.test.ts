import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Ledger, ledger } from './ledger.ts';

let fleet: Fleet;
const bots: FleetBot[] = [];
let books: Map<string, Ledger>;
let backend: TestBackend;
/** How the backend treats a request to this path: it answers with a status, or never. */
let behaviour: (path: string, text: string) => number | 'hang';

beforeAll(async () => {
  fleet = await startFleet();
}, 60_000);
beforeEach(async () => {
  books = new Map();
  behaviour = () => 200;
  backend = await startBackend((request, response) => {
    const status = behaviour(request.url, request.text);
    if (status === 'hang') return;
    if (status === 200) bookOf(request.url).record(request.text);
    response.writeHead(status).end();
  });
}, 60_000);
afterEach(async () => {
  // What a test leaves behind would be load for the next one.
  for (const { id } of bots.splice(0)) await fleet.rest('/api/bots/delete', { id });
  await backend.stop();
}, 60_000);
afterAll(() => fleet?.stop(), 60_000);

const bookOf = (path: string): Ledger => {
  const book = books.get(path) ?? ledger();
  books.set(path, book);
  return book;
};
const addBot = async (path: string): Promise<number> => {
  const bot = await fleet.addBot({ proxy_enabled: true, backend_url: `${backend.url}${path}` });
  bots.push(bot);
  return bot.platformId;
};

describe('under load', () => {
  test('three bots, 30 chats, a flapping backend, a worker killed every 5 s: nothing lost, each lane in its order', async () => {
    const three = [await addBot('/a'), await addBot('/b'), await addBot('/c')];
    const seconds = 60;
    let down = false;
    behaviour = (path) => (path === '/b' && down ? 503 : 200);
    await fleet.control.generate({ bots: three, chats: 10, count: 300 * seconds, perSecond: 300 });
    const flapping = setInterval(() => {
      down = !down;
    }, 3_000);
    let kills = 0;
    for (const endsAt = performance.now() + seconds * 1000; performance.now() < endsAt; ) {
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      const victim = fleet.workers.shift();
      await victim?.kill();
      kills += 1;
      await fleet.start('worker');
    }
    clearInterval(flapping);
    down = false;
    const arrived = () => [...books.values()].reduce((sum, book) => sum + book.count(), 0);
    await waitFor(() => arrived() === 300 * seconds, {
      timeoutMs: 150_000,
      message: `all ${300 * seconds} updates`,
    }).catch((error) => {
      throw new Error(`${arrived()} arrived`, { cause: error });
    });
    for (const path of ['/a', '/b', '/c']) expect(bookOf(path).faults(100 * seconds * 0.1)).toEqual([]);
    const inFlightAtMost = kills * 30;
    const duplicates = [...books.values()].reduce((sum, book) => sum + book.duplicates(), 0);
    expect(duplicates).toBeLessThanOrEqual(inFlightAtMost);
  }, 300_000);

  test('a backend that never answers, with half the traffic, holds up nobody else, and gets its own in order once it answers', async () => {
    behaviour = (path) => (path === '/hangs' ? 'hang' : 200);
    const hanging = await addBot('/hangs');
    const well: number[] = [];
    for (let at = 0; at < 9; at += 1) well.push(await addBot(`/well${at}`));
    await fleet.control.generate({ bots: [hanging], chats: 50, count: 1500, perSecond: 150 });
    await fleet.control.generate({ bots: well, chats: 5, count: 1350, perSecond: 135 });
    const arrived = () => well.reduce((sum, _, at) => sum + bookOf(`/well${at}`).count(), 0);
    await waitFor(() => arrived() === 1350, { timeoutMs: 30_000, message: 'the updates of the healthy ones' });
    for (const [at] of well.entries()) expect(bookOf(`/well${at}`).faults(30)).toEqual([]);
    // The deliveries in flight time out first; the next probe follows within a minute.
    behaviour = () => 200;
    await waitFor(() => bookOf('/hangs').count() === 1500, {
      timeoutMs: 240_000,
      message: 'those of the one that hung',
    });
    expect(bookOf('/hangs').faults(30)).toEqual([]);
  }, 360_000);

  test('a bot with 50,000 queued does not slow one with an update a second', async () => {
    const busy = await addBot('/busy');
    const quiet = await addBot('/quiet');
    await fleet.control.generate({ bots: [busy], chats: 100, count: 50_000 });
    await fleet.control.generate({ bots: [quiet], chats: 1, count: 10, perSecond: 1 });
    await waitFor(() => bookOf('/quiet').count() === 10, { timeoutMs: 30_000, message: 'the quiet bot' });
    expect(bookOf('/quiet').longestSilenceMs()).toBeLessThan(5_000);
    await waitFor(() => bookOf('/busy').count() === 50_000, { timeoutMs: 120_000, message: 'the busy bot' });
    expect(bookOf('/busy').faults(500)).toEqual([]);
    expect(bookOf('/busy').duplicates()).toBe(0);
  }, 240_000);

  test('a chat of which every tenth attempt fails keeps its order, and others are not held up', async () => {
    let attempts = 0;
    behaviour = (path) => {
      if (path !== '/fails') return 200;
      attempts += 1;
      return attempts % 10 === 0 ? 500 : 200;
    };
    const failing = await addBot('/fails');
    const other = await addBot('/other');
    await fleet.control.generate({ bots: [failing], chats: 1, count: 1000 });
    await fleet.control.generate({ bots: [other], chats: 10, count: 1000 });
    await waitFor(() => bookOf('/other').count() === 1000, { timeoutMs: 30_000 });
    await waitFor(() => bookOf('/fails').count() === 1000, { timeoutMs: 120_000 });
    expect(bookOf('/fails').faults(1000)).toEqual([]);
    expect(bookOf('/other').faults(100)).toEqual([]);
  }, 180_000);
});
