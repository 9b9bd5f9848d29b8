import { expect, test } from '@jest/globals';
import { abandonedCalls } from './capture.ts';

const MIB = 1024 * 1024;

test('there is room for 1,000 abandoned calls, and again when some have ended', () => {
  const calls = abandonedCalls();
  for (let call = 0; call < 1000; call += 1) expect(calls.begin(0)).toBe(true);
  expect(calls.begin(0)).toBe(false);
  calls.end(0);
  calls.end(0);
  expect(calls.begin(0)).toBe(true);
});

test('all of them together hold 32 MiB at most', () => {
  const calls = abandonedCalls();
  expect(calls.begin(20 * MIB)).toBe(true);
  expect(calls.begin(12 * MIB)).toBe(true);
  expect(calls.hold(1)).toBe(false);
  calls.end(12 * MIB + 1);
  expect(calls.hold(12 * MIB)).toBe(true);
});
