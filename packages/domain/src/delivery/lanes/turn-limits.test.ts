import { expect, test } from '@jest/globals';
import { logTrims } from './turn-limits.ts';

test('the log is trimmed every few seconds, after some updates before a hold, and after many in any case', () => {
  let nowMs = 0;
  const trims = logTrims({ nowMs: () => nowMs });
  expect(trims.isDue(true)).toBe(false);
  nowMs = 2_000;
  expect([trims.isDue(false), trims.isDue(false)]).toEqual([true, false]);
  trims.took(300);
  expect(trims.isDue(false)).toBe(false);
  expect([trims.isDue(true), trims.isDue(true)]).toEqual([true, false]);
  for (let claims = 0; claims < 6; claims += 1) trims.took(100);
  expect([trims.isDue(false), trims.isDue(false)]).toEqual([true, false]);
});
