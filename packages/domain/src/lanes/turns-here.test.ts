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

test('a turn can be told from its first claim until it leaves, and not when it lost its bot', () => {
  const { turns, turn, wakes } = entered();
  expect(turns.of(BOT)).toBeNull();
  turn.claimSent();
  turn.claimAnswered(7);
  expect(turns.of(BOT)?.fencingToken).toBe(7);
  expect(turns.of(BOT + 1)).toBeNull();
  turns.of(BOT)?.tell();
  expect(wakes()).toBe(1);
  turn.claimAnswered(null);
  expect(turns.of(BOT)).toBeNull();
  turn.claimAnswered(7);
  turn.leave();
  expect(turns.of(BOT)).toBeNull();
});

test('a turn that leaves late does not take away the one that follows it', () => {
  const { turns, turn } = entered();
  const next = turns.enter(BOT);
  next.claimAnswered(8);
  turn.leave();
  expect(turns.of(BOT)?.fencingToken).toBe(8);
});

test('a turn is told again if a claim was answered before the append that it was to follow', () => {
  const { turns, turn, wakes } = entered();
  turn.claimSent();
  turn.claimAnswered(7);
  const inOrder = turns.of(BOT)!.tell();
  turn.claimSent();
  inOrder();
  turn.claimAnswered(7);
  expect(wakes()).toBe(1);
  const overtaken = turns.of(BOT)!.tell();
  turn.claimSent();
  turn.claimAnswered(7);
  overtaken();
  expect(wakes()).toBe(3);
});

test('the answer to a claim that was sent before is no reason to tell again', () => {
  const { turns, turn, wakes } = entered();
  turn.claimAnswered(7);
  turn.claimSent();
  turn.claimSent();
  const answered = turns.of(BOT)!.tell();
  turn.claimAnswered(7);
  answered();
  expect(wakes()).toBe(1);
});
