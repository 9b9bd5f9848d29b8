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
