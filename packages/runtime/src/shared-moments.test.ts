import { expect, test } from '@jest/globals';
import { systemClock } from './clock.ts';
import { momentsUnderLoad, sharedMoments, untilMomentMs } from './shared-moments.ts';

const HOUR_MS = 3_600_000;

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

test('a moment may come early, and those after it wait for another one', async () => {
  const moments = sharedMoments(HOUR_MS, systemClock);
  const first = moments.next();
  moments.flush();
  await first;
  const second = moments.next();
  expect(second).not.toBe(first);
  moments.flush();
  await second;
});

test('under load, a caller after a pause does not wait, and those close behind it go together', async () => {
  let nowMs = 1_000;
  const moments = momentsUnderLoad({ withinMs: 20, atMost: 10 }, { nowMs: () => nowMs });
  await moments.next();
  const gone: string[] = [];
  const go = async (name: string) => {
    await moments.next();
    gone.push(name);
  };
  nowMs += 20;
  const together = [go('first'), go('second')];
  nowMs += 21;
  await go('after a pause');
  expect(gone).toEqual(['after a pause']);
  await together[0];
  await Promise.resolve();
  expect(gone).toEqual(['after a pause', 'first', 'second']);
});

test('with each caller after a pause, and with those who share a moment, others go that wait', async () => {
  let nowMs = 1_000;
  const others = sharedMoments(HOUR_MS, systemClock);
  const moments = momentsUnderLoad({ withinMs: 20, atMost: 10 }, { nowMs: () => nowMs }, others);
  const afterPause = others.next();
  await moments.next();
  await afterPause;
  const shared = others.next();
  nowMs += 1;
  await moments.next();
  await shared;
});

test('so many callers as may be together do not wait for the time', async () => {
  const moments = momentsUnderLoad({ withinMs: HOUR_MS, atMost: 3 }, systemClock);
  await moments.next();
  await Promise.all([moments.next(), moments.next(), moments.next()]);
  await Promise.all([moments.next(), moments.next(), moments.next()]);
});
