import { expect, test } from '@jest/globals';
import { nextTryInMs } from './next-try.ts';

test('a refused token is tried once more after 2 to 5 s, then once a minute', () => {
  const first = nextTryInMs(1, { pause: 'long' }, false);
  expect(first).toBeGreaterThanOrEqual(2_000);
  expect(first).toBeLessThanOrEqual(5_000);
  expect(nextTryInMs(2, { pause: 'long' }, true)).toBeGreaterThanOrEqual(60_000);
});

test('a time that the platform names is kept to, also with a refusal', () => {
  expect(nextTryInMs(1, { pause: 'long', retryAfterS: 7 }, false)).toBe(7_000);
});
