import { expect, test } from '@jest/globals';
import type { FloodedCall } from './flooded-call.ts';
import { wholeBotWaits } from './whole-bot-waits.ts';

const MINUTE_MS = 60_000;
const to = (place: string, family: FloodedCall['family'] = 'send'): FloodedCall => ({ botId: 1, family, place });
const refusedIn = (waits: ReturnType<typeof wholeBotWaits>, ...places: string[]) =>
  places.map((place) => waits.refused(to(place)));

test('three chats that are refused at once say that the whole bot has to wait, for sends and edits', () => {
  const waits = wholeBotWaits();
  expect(refusedIn(waits, '5', '5', '5', '6')).toEqual([false, false, false, false]);
  expect(waits.refused(to('7', 'edit'))).toBe(false);
  expect(waits.refused({ ...to('7'), botId: 2 })).toBe(false);
  expect(refusedIn(waits, '-100')).toEqual([true]);
  for (const place of ['5', '6', '7', '']) expect(waits.refused(to(place, 'other'))).toBe(false);
  for (const place of ['inline:a', 'inline:b', 'inline:c']) expect(waits.refused(to(place, 'edit'))).toBe(false);
});

test('they do not, if a message went through in between', () => {
  const waits = wholeBotWaits();
  refusedIn(waits, '5', '6');
  waits.passed(to('8'), performance.now() + 1);
  expect(refusedIn(waits, '7')).toEqual([false]);
  refusedIn(waits, '5', '6');
});

test('a message that was on its way before says nothing', () => {
  const waits = wholeBotWaits();
  const earlierMs = performance.now() - 1;
  refusedIn(waits, '5', '6');
  expect(waits.passed(to('8'), earlierMs)).toBe(false);
  expect(refusedIn(waits, '7')).toEqual([true]);
  expect(waits.passed(to('8'), earlierMs)).toBe(false);
});

test('of a long wait, one call may find out that it is wrong; of a short one, none', () => {
  const waits = wholeBotWaits();
  expect(waits.mayTry(to('8'), MINUTE_MS)).toBe(false);
  refusedIn(waits, '5', '6', '7');
  expect(waits.mayTry(to('8'), 2_000)).toBe(false);
  expect([waits.mayTry(to('8'), MINUTE_MS), waits.mayTry(to('9'), MINUTE_MS)]).toEqual([true, false]);
  expect(waits.passed(to('8'), performance.now() + 1)).toBe(true);
  expect(waits.passed(to('8'), performance.now() + 1)).toBe(false);
});

test('soon after such a wait, one refusal is enough for the next', () => {
  const waits = wholeBotWaits();
  refusedIn(waits, '5', '6', '7');
  waits.passed(to('5'), performance.now() + 1);
  expect(refusedIn(waits, '5')).toEqual([true]);
  expect(waits.mayTry(to('6'), MINUTE_MS)).toBe(true);
});
