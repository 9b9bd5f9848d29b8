import { expect, test } from '@jest/globals';
import { sharedLimiter } from './shared-limiter.ts';

test('nobody is offered more than half of what is free, and somebody always gets the last one', () => {
  const requestLimiter = sharedLimiter(10);
  expect(requestLimiter.offer(100)).toBe(5);
  for (let at = 0; at < 9; at += 1) requestLimiter.take();
  expect(requestLimiter.offer(100)).toBe(1);
  requestLimiter.take();
  expect(requestLimiter.offer(100)).toBe(0);
  requestLimiter.giveBack();
  expect(requestLimiter.offer(100)).toBe(1);
});

test('one holder never has more than a quarter of all, however many ask for it, and others find the rest free', () => {
  const requestLimiter = sharedLimiter(20);
  for (let at = 0; at < 5; at += 1) requestLimiter.take('https://hangs.example');
  expect(requestLimiter.offer(100, 'https://hangs.example')).toBe(0);
  expect(requestLimiter.offer(2, 'https://well.example')).toBe(2);
  requestLimiter.giveBack('https://hangs.example');
  expect(requestLimiter.offer(100, 'https://hangs.example')).toBe(1);
});

test('a dozen holders that hang with all they can get leave room for the others', () => {
  const requestLimiter = sharedLimiter(4000);
  for (let host = 0; host < 12; host += 1) {
    while (requestLimiter.tryTake(`https://hangs-${host}.example`));
  }
  expect(requestLimiter.taken()).toBeGreaterThan(3000);
  expect(requestLimiter.offer(20, 'https://well.example')).toBe(20);
});

test('a holder is stuck once it has its whole share and has given nothing back for a second', () => {
  let nowMs = 0;
  const requestLimiter = sharedLimiter(8, () => nowMs);
  requestLimiter.take('https://hangs.example');
  nowMs = 5_000;
  expect(requestLimiter.isStuck('https://hangs.example')).toBe(false);
  requestLimiter.take('https://hangs.example');
  expect(requestLimiter.isStuck('https://hangs.example')).toBe(true);
  expect(requestLimiter.isStuck('https://well.example')).toBe(false);
  requestLimiter.giveBack('https://hangs.example');
  requestLimiter.take('https://hangs.example');
  expect(requestLimiter.isStuck('https://hangs.example')).toBe(false);
});
