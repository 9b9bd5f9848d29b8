import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { botWithQueue, type Check, type ConformanceTarget, idsOf, pendingCount, poll } from './conformance-target.ts';

const ALL = [101, 102, 103, 104, 105];

/** Tests of `offset`, which acknowledges updates, and of `limit`. */
export function acknowledgementTests(target: () => ConformanceTarget, check: Check): void {
  check('without parameters all five come, and come again', async () => {
    const bot = await botWithQueue(target());
    expect(idsOf(await poll(target(), bot))).toEqual(ALL);
    await sleep(600);
    expect(idsOf(await poll(target(), bot))).toEqual(ALL);
  });

  check('offset deletes what is below it for good', async () => {
    const bot = await botWithQueue(target());
    expect(idsOf(await poll(target(), bot, { offset: 103 }))).toEqual([103, 104, 105]);
    expect(idsOf(await poll(target(), bot, { offset: 0 }))).toEqual([103, 104, 105]);
  });

  for (const offset of [106, 116]) {
    check(`offset ${offset} acknowledges everything`, async () => {
      const bot = await botWithQueue(target());
      expect(await poll(target(), bot, { offset, timeout: 0 })).toEqual([]);
      expect(await pendingCount(target(), bot)).toBe(0);
    });
  }

  check('an offset too far ahead acknowledges nothing', async () => {
    const bot = await botWithQueue(target());
    expect(idsOf(await poll(target(), bot, { offset: 117 }))).toEqual(ALL);
    expect(await pendingCount(target(), bot)).toBe(5);
  });

  check('offset -1 keeps only the newest', async () => {
    const bot = await botWithQueue(target());
    expect(idsOf(await poll(target(), bot, { offset: -1 }))).toEqual([105]);
    expect(await pendingCount(target(), bot)).toBe(1);
  });

  check('offset -3 with limit 1 gives the oldest of the three kept', async () => {
    const bot = await botWithQueue(target());
    expect(idsOf(await poll(target(), bot, { offset: -3, limit: 1 }))).toEqual([103]);
    expect(await pendingCount(target(), bot)).toBe(3);
  });

  check('a negative offset beyond the queue deletes nothing', async () => {
    const bot = await botWithQueue(target());
    expect(idsOf(await poll(target(), bot, { offset: -50 }))).toEqual(ALL);
  });

  check('limit is clamped to 1 and 100', async () => {
    const bot = await botWithQueue(target(), 1001, 150);
    expect(idsOf(await poll(target(), bot, { limit: 0 }))).toEqual([1001]);
    const hundred = await poll(target(), bot, { limit: 500, offset: 1 });
    expect(hundred).toHaveLength(100);
  });

  check('a limit that is no number counts as 0', async () => {
    const bot = await botWithQueue(target());
    expect(idsOf(await poll(target(), bot, { limit: 'abc' }))).toEqual([101]);
  });
}
