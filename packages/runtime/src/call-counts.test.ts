import { expect, test } from '@jest/globals';
import { callCounts } from './call-counts.ts';

/** How many calls a caller gets who makes as many as possible. */
function takeAll(counts: ReturnType<typeof callCounts>, botId: number, scope: string): number {
  let taken = 0;
  for (; counts.hasRoom({ botId, scope }); taken += 1) counts.add({ botId, scope }, 1);
  return taken;
}

test('no caller takes all of a bot, and no bot all of a process', () => {
  const counts = callCounts({ inAll: 1000, ofBot: 300 });
  expect(takeAll(counts, 1, 'token')).toBe(225);
  expect(takeAll(counts, 1, 'program:1')).toBe(57);
  expect(takeAll(counts, 1, 'program:2')).toBeGreaterThan(0);
  for (let bot = 2; bot < 6; bot += 1) takeAll(counts, bot, 'token');
  expect(takeAll(counts, 6, 'token')).toBeGreaterThan(0);
});

test('room that is given back is there for others', () => {
  const counts = callCounts({ inAll: 1000, ofBot: 4 });
  expect(takeAll(counts, 1, 'one')).toBe(3);
  for (let call = 0; call < 3; call += 1) counts.add({ botId: 1, scope: 'one' }, -1);
  expect(takeAll(counts, 1, 'two')).toBe(3);
});
