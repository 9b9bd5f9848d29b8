import { expect, test } from '@jest/globals';
import { stopInOrder } from './lifecycle.ts';

test('one thing is stopped after the other, and what hangs or fails is told and left behind', async () => {
  const told: unknown[] = [];
  const log = {
    warn: (fields: object, message: string) => void told.push([(fields as { name: string }).name, message]),
  };
  const stopped: string[] = [];
  await stopInOrder(log, [
    { name: 'first', withinMs: 10_000, stop: async () => void stopped.push('first') },
    { name: 'hangs', withinMs: 50, stop: () => new Promise(() => {}) },
    { name: 'fails', withinMs: 10_000, stop: () => Promise.reject(new Error('no')) },
    { name: 'last', withinMs: 10_000, stop: async () => void stopped.push('last') },
  ]);
  expect(stopped).toEqual(['first', 'last']);
  expect(told).toEqual([
    ['hangs', 'did not stop in time'],
    ['fails', 'could not be stopped'],
  ]);
});
