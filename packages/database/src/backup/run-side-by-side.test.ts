import { expect, test } from '@jest/globals';
import { runSideBySide } from './run-side-by-side.ts';

const item = (name: string, ...after: string[]) => ({ name, after });

test('an item begins after those that it waits for, and others beside it', async () => {
  const order: string[] = [];
  let atOnce = 0;
  let most = 0;
  const worker = async ({ name }: { name: string }) => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    await new Promise((resolve) => setImmediate(resolve));
    atOnce -= 1;
    order.push(name);
  };
  await runSideBySide([item('c', 'a', 'b'), item('a'), item('b', 'a'), item('d'), item('e')], [worker, worker]);
  expect(order.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(order.indexOf('c')).toBeGreaterThan(order.indexOf('b'));
  expect(order.indexOf('b')).toBeGreaterThan(order.indexOf('a'));
  expect(most).toBe(2);
});

test('a failure ends all', async () => {
  const done: string[] = [];
  const worker = async ({ name }: { name: string }) => {
    if (name === 'a') throw new Error('a is broken');
    done.push(name);
  };
  await expect(runSideBySide([item('a'), item('b', 'a'), item('c')], [worker, worker])).rejects.toThrow('a is broken');
  expect(done).not.toContain('b');
});
