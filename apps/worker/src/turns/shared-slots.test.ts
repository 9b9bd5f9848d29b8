import { expect, test } from '@jest/globals';
import { sharedSlots } from './shared-slots.ts';

test('nobody is offered more than half of what is free, and somebody always gets the last one', () => {
  const slots = sharedSlots(10);
  expect(slots.offer(100)).toBe(5);
  for (let at = 0; at < 9; at += 1) slots.take();
  expect(slots.offer(100)).toBe(1);
  slots.take();
  expect(slots.offer(100)).toBe(0);
  slots.giveBack();
  expect(slots.offer(100)).toBe(1);
});

test('one holder never has more than a quarter of all, however many ask for it, and others find the rest free', () => {
  const slots = sharedSlots(20);
  for (let at = 0; at < 5; at += 1) slots.take('https://hangs.example');
  expect(slots.offer(100, 'https://hangs.example')).toBe(0);
  expect(slots.offer(2, 'https://well.example')).toBe(2);
  slots.giveBack('https://hangs.example');
  expect(slots.offer(100, 'https://hangs.example')).toBe(1);
});
