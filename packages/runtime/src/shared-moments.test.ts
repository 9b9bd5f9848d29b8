import { expect, test } from '@jest/globals';
import { systemClock } from './clock.ts';
import { sharedMoments, untilMomentMs } from './shared-moments.ts';

test('all processes have the same moments', () => {
  const leftAt = (nowMs: number) => untilMomentMs(10, { nowMs: () => nowMs });
  expect([leftAt(1_800_000_000_001), leftAt(1_800_000_000_009), leftAt(1_800_000_000_010)]).toEqual([9, 1, 10]);
});

test('callers share the coming moment, and those after it the next one', async () => {
  const moments = sharedMoments(20, systemClock);
  const first = moments.next();
  expect(moments.next()).toBe(first);
  await first;
  expect(moments.next()).not.toBe(first);
});
