import { expect, test } from '@jest/globals';
import { addPlace, measuredText, noReaderCounts, qualityOf } from './reader-counts.ts';

const attempts = (durations: number[], failed = 0) =>
  durations.map((durationMs, at) => ({
    durationMs,
    outcome: at < failed ? ('failed' as const) : ('delivered' as const),
  }));

function qualityAfter(durations: number[], failed = 0) {
  const sum = noReaderCounts();
  for (const [, place, count] of measuredText(attempts(durations, failed)).matchAll(/(\d+) (\d+)/g)) {
    addPlace(sum, 'push', Number(place), Number(count));
  }
  return qualityOf(sum);
}

test.each([1, 2, 3, 7, 42, 100, 999, 5_000, 59_999])('a duration of %i ms is at most a quarter off', (durationMs) => {
  const { p50_ms: p50Ms, p95_ms: p95Ms } = qualityAfter(new Array<number>(1000).fill(durationMs))!;
  for (const estimated of [p50Ms, p95Ms]) {
    expect(estimated).toBeGreaterThanOrEqual(Math.floor(durationMs * 0.75) - 1);
    expect(estimated).toBeLessThanOrEqual(Math.ceil(durationMs * 1.26) + 1);
  }
});

test('half and 95 % of attempts are told apart, and those that failed count', () => {
  const quality = qualityAfter([...new Array<number>(90).fill(10), ...new Array<number>(10).fill(2000)], 25)!;
  expect(quality.success_ratio).toBe(0.75);
  expect(quality.p50_ms).toBeLessThan(13);
  expect(quality.p95_ms).toBeGreaterThan(1500);
});

test('there is no figure without an attempt, and an update that was dropped is none', () => {
  expect(qualityOf(noReaderCounts())).toBeNull();
  expect(measuredText([{ durationMs: 0, outcome: 'dropped' }])).toBe('');
});
