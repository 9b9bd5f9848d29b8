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

const never = new AbortController().signal;

test('a dozen holders that hang with all they can get leave room for the others', () => {
  const requestLimiter = sharedLimiter(4000);
  for (let host = 0; host < 12; host += 1) {
    const holder = `https://hangs-${host}.example`;
    while (requestLimiter.offer(1, holder) > 0) requestLimiter.take(holder);
  }
  expect(requestLimiter.taken()).toBeGreaterThan(3000);
  expect(requestLimiter.offer(20, 'https://well.example')).toBe(20);
});

test('whoever finds all taken gets what is given back, in the order of asking, or nothing in its time', async () => {
  const requestLimiter = sharedLimiter(8);
  const got: string[] = [];
  const ask = async (name: string, withinMs = 60_000, signal = never) => {
    got.push(`${name} ${await requestLimiter.takeSoon('https://slow.example', withinMs, signal)}`);
  };
  await Promise.all([ask('a'), ask('b')]);
  const stop = new AbortController();
  const rest = [ask('late', 1), ask('stopped', 60_000, stop.signal), ask('c'), ask('d')];
  stop.abort();
  await Promise.all(rest.slice(0, 2));
  expect(got).toEqual(['a true', 'b true', 'stopped false', 'late false']);
  requestLimiter.giveBack('https://slow.example');
  requestLimiter.giveBack('https://slow.example');
  await Promise.all(rest);
  expect(got.slice(4)).toEqual(['c true', 'd true']);
  expect(requestLimiter.taken()).toBe(2);
});

test('what one holder gives back another one gets that waited for it', async () => {
  const requestLimiter = sharedLimiter(2);
  requestLimiter.take('https://one.example');
  requestLimiter.take('https://two.example');
  const waiting = requestLimiter.takeSoon('https://three.example', 60_000, never);
  requestLimiter.giveBack('https://one.example');
  expect(await waiting).toBe(true);
  expect(requestLimiter.taken()).toBe(2);
});

test('what is given back passes by a holder that has its whole share', async () => {
  const requestLimiter = sharedLimiter(4);
  for (const host of ['hangs', 'one', 'two', 'three']) requestLimiter.take(`https://${host}.example`);
  const stop = new AbortController();
  const hanging = requestLimiter.takeSoon('https://hangs.example', 60_000, stop.signal);
  const waiting = requestLimiter.takeSoon('https://well.example', 60_000, stop.signal);
  requestLimiter.giveBack('https://one.example');
  stop.abort();
  expect(await Promise.all([hanging, waiting])).toEqual([false, true]);
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
