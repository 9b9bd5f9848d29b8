import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { workLimit } from './work-limit.ts';

test('two pieces of work run at once, two wait in their order, and a fifth is refused', async () => {
  const limit = workLimit({ atOnce: 2, waiting: 2 });
  const begun: number[] = [];
  const ends: ((failure?: Error) => void)[] = [];
  const run = (id: number) =>
    limit(() => {
      begun.push(id);
      return new Promise<number>((resolve, reject) => {
        ends[id] = (failure) => (failure === undefined ? resolve(id) : reject(failure));
      });
    });
  const [first, second, third, fourth] = [run(0), run(1), run(2), run(3)];
  await expect(run(4)).rejects.toMatchObject({ code: 'too_many_requests', retryAfterS: 1 });
  expect(begun).toEqual([0, 1]);
  ends[1]!();
  expect(await second).toBe(1);
  // Who waits begins in a microtask of its own.
  await setImmediate();
  expect(begun).toEqual([0, 1, 2]);
  ends[0]!(new Error('a fault'));
  await expect(first).rejects.toThrow('a fault');
  await setImmediate();
  expect(begun).toEqual([0, 1, 2, 3]);
  ends[2]!();
  ends[3]!();
  expect(await Promise.all([third, fourth])).toEqual([2, 3]);
  const after = run(5);
  await setImmediate();
  ends[5]!();
  expect(await after).toBe(5);
});
