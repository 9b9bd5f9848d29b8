import { setImmediate as nextPass } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { turnsHere } from './turns-here.ts';

const BOT = 5;

function entered() {
  const turns = turnsHere();
  const turn = turns.enter(BOT);
  let wakes = 0;
  turn.onWake(() => {
    wakes += 1;
  });
  return { turns, turn, wakes: () => wakes };
}

/** The reply to a command; those that come in one read of the connection are resolved one after the other. */
const reply = () => Promise.withResolvers<void>();

test('a turn can be told from its first claim until it leaves, and not when it lost its bot', () => {
  const { turns, turn, wakes } = entered();
  expect(turns.of(BOT)).toBeNull();
  turn.claims.sent();
  turn.claims.answered(7);
  expect(turns.of(BOT)?.fencingToken).toBe(7);
  expect(turns.of(BOT + 1)).toBeNull();
  turns.of(BOT)?.tell(reply().promise);
  expect(wakes()).toBe(1);
  turn.claims.answered(null);
  expect(turns.of(BOT)).toBeNull();
  turn.claims.answered(7);
  turn.leave();
  expect(turns.of(BOT)).toBeNull();
});

test('a turn that leaves late does not take away the one that follows it', () => {
  const { turns, turn } = entered();
  const next = turns.enter(BOT);
  next.claims.answered(8);
  turn.leave();
  expect(turns.of(BOT)?.fencingToken).toBe(8);
});

test.each([
  { first: 'the append', wanted: 1 },
  { first: 'the claim', wanted: 2 },
])(
  'if $first is answered first, the turn is told $wanted times, also when both replies come at once',
  async (order) => {
    const { turns, turn, wakes } = entered();
    turn.claims.sent();
    turn.claims.answered(7);
    const [append, claim] = [reply(), reply()];
    turns.of(BOT)!.tell(append.promise);
    turn.claims.sent();
    void claim.promise.then(() => turn.claims.answered(7));
    for (const one of order.first === 'the append' ? [append, claim] : [claim, append]) one.resolve();
    await nextPass();
    expect(wakes()).toBe(order.wanted);
  },
);

test('after a claim whose answer was lost, the turn is told as often as before', async () => {
  const { turns, turn, wakes } = entered();
  turn.claims.sent();
  turn.claims.lost();
  turn.claims.sent();
  turn.claims.answered(7);
  const append = reply();
  turns.of(BOT)!.tell(append.promise);
  turn.claims.sent();
  turn.claims.answered(7);
  append.resolve();
  await nextPass();
  expect(wakes()).toBe(2);
});

test('the answer to a claim that was sent before is no reason to tell again, and a failed append is one', async () => {
  const { turns, turn, wakes } = entered();
  turn.claims.sent();
  turn.claims.answered(7);
  turn.claims.sent();
  const [append, lost] = [reply(), reply()];
  turns.of(BOT)!.tell(append.promise);
  turn.claims.answered(7);
  append.resolve();
  await nextPass();
  expect(wakes()).toBe(1);
  turns.of(BOT)!.tell(lost.promise);
  lost.reject(new Error('Command timed out'));
  await nextPass();
  expect(wakes()).toBe(3);
});
