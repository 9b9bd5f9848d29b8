import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { CHATS, type LoadedFleet, startLoadedFleet } from './loaded-fleet.ts';
import { startWriter, type Writer } from './writer.ts';

const PER_SECOND = 300;
const RESUMED_WITHIN_MS = 15_000;
/** A turn that was claimed as the connection broke is found again after its lock's 10 s and a check's 5 s. */
const EACH_RESUMED_WITHIN_MS = 20_000;
const REFUSED_WITHIN_MS = 3_000;

let redis: TestRedis;
let load: LoadedFleet;
let writer: Writer;

beforeEach(async () => {
  redis = await startTestRedis();
  load = await startLoadedFleet(redis);
  writer = await startWriter(load.fleet);
}, 60_000);
afterEach(async () => {
  await writer?.stop();
  await load?.stop();
  await redis?.stop();
}, 60_000);

/** Resolves when the backends receive something new; rejects when that takes too long. */
const goesOn = async () => {
  const before = load.arrived();
  await waitFor(() => load.arrived() > before + 100, { timeoutMs: RESUMED_WITHIN_MS, message: 'deliveries to go on' });
};

describe('Redis that is killed under load', () => {
  test('and restarted over its append-only file: writers are refused meanwhile, and all that was acknowledged arrives', async () => {
    const count = PER_SECOND * 20;
    await load.generate(count, PER_SECOND);
    await waitFor(() => load.arrived() > 1000 && writer.acknowledged() > 20, { timeoutMs: 30_000 });
    redis.kill();
    const refusedBefore = writer.refused();
    await waitFor(() => writer.refused() > refusedBefore + 3, { timeoutMs: 10_000, message: 'a refused push' });
    expect(writer.longestAnswerMs()).toBeLessThan(REFUSED_WITHIN_MS);
    await redis.restart();
    await goesOn();
    await load.eachGoesOn(EACH_RESUMED_WITHIN_MS);
    await load.allArrived(count, 90_000);
    await writer.pause();
    await writer.allArrived(30_000);
    for (const book of load.books) expect(book.faults(count / load.bots.length / CHATS)).toEqual([]);
    expect(writer.book.faults(writer.acknowledged())).toEqual([]);
    expect(load.errorLines()).toEqual([]);
  }, 240_000);

  test('and that comes back empty: everything is set up anew, and what the platform still holds arrives', async () => {
    const before = PER_SECOND * 5;
    await load.generate(before, PER_SECOND);
    await load.allArrived(before, 60_000);
    redis.kill();
    const held = PER_SECOND * 5;
    await load.generate(held, held);
    await redis.restart({ empty: true });
    await goesOn();
    await load.allArrived(before + held, 60_000);
    // Each load uses new chats.
    for (const book of load.books) expect(book.faults(held / load.bots.length / CHATS)).toEqual([]);
    const written = writer.acknowledged();
    await waitFor(() => writer.acknowledged() > written + 10, { timeoutMs: RESUMED_WITHIN_MS });
    expect(load.errorLines()).toEqual([]);
  }, 240_000);
});

describe('Redis that answers nothing for seconds, again and again', () => {
  test('costs time, but no update, no order, no second delivery and no dead letter', async () => {
    const count = PER_SECOND * 20;
    await load.generate(count, PER_SECOND);
    for (let times = 0; times < 5; times += 1) {
      await goesOn();
      // Longer than any command's timeout, shorter than the time after which a turn no longer trusts its lock.
      await redis.freeze(2_500);
    }
    await load.allArrived(count, 90_000);
    for (const book of load.books) expect(book.faults(count / load.bots.length / CHATS)).toEqual([]);
    expect(load.books.map((book) => book.duplicates())).toEqual(load.books.map(() => 0));
    for (const bot of load.bots) {
      expect(await load.fleet.rest(`/api/deliveries?bot_id=${bot.id}&state=dead`)).toEqual([]);
    }
  }, 240_000);
});
