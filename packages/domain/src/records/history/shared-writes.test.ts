import { setTimeout as delay, setImmediate as nextMoment } from 'node:timers/promises';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { describe, expect, test } from '@jest/globals';
import { sharedWrites } from './shared-writes.ts';

const LONG_MS = 600_000;
const SHORT_MS = 1;

/** Batches that end when the test says so. */
function heldWrites(limits: { atOnce: number; size: number; gatherMs: number }) {
  const batches: { items: number[]; end(error?: Error): void }[] = [];
  const write = sharedWrites<number>(limits, (items) => {
    const held = Promise.withResolvers<void>();
    batches.push({ items, end: (error) => (error ? held.reject(error) : held.resolve()) });
    return held.promise;
  });
  return { batches, write, items: () => batches.map(({ items }) => items) };
}

describe('writes that share batches', () => {
  test('what comes within the time goes together; what comes while enough is in flight goes into the next', async () => {
    const { batches, write, items } = heldWrites({ atOnce: 1, size: 10, gatherMs: 1 });
    const first = [write([1, 2]), write([3])];
    await waitFor(() => batches.length > 0);
    const second = [write([4]), write([5, 6])];
    await nextMoment();
    expect(items()).toEqual([[1, 2, 3]]);
    batches[0]!.end();
    await Promise.all(first);
    expect(items()).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    batches[1]!.end();
    await Promise.all(second);
  });

  test('a batch is full before a caller would be split, and a caller with more than fits is written alone', async () => {
    const { batches, write, items } = heldWrites({ atOnce: 9, size: 3, gatherMs: 1 });
    const all = [write([1, 2]), write([3, 4]), write([5]), write([6, 7, 8, 9]), write([10])];
    expect(items()).toEqual([
      [1, 2],
      [3, 4, 5],
      [6, 7, 8, 9],
    ]);
    for (const batch of batches) batch.end();
    await waitFor(() => batches.length === 4);
    expect(items().at(-1)).toEqual([10]);
    batches[3]!.end();
    await Promise.all(all);
  });

  test('beside a batch that is being written only a full one begins; the rest waits for its end', async () => {
    const { batches, write, items } = heldWrites({ atOnce: 2, size: 3, gatherMs: SHORT_MS });
    const all = [write([1, 2, 3]), write([4])];
    // Of two timers of one length the later one ends later: when this one has ended, the time for gathering has, too.
    await delay(SHORT_MS);
    expect(items()).toEqual([[1, 2, 3]]);
    all.push(write([5, 6]), write([7]));
    expect(items()).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    batches[0]!.end();
    await all[0];
    await nextMoment();
    expect(batches).toHaveLength(2);
    batches[1]!.end();
    await waitFor(() => batches.length === 3);
    expect(items().at(-1)).toEqual([7]);
    batches[2]!.end();
    await Promise.all(all);
  });

  test('a full batch does not wait for others', async () => {
    const { batches, write, items } = heldWrites({ atOnce: 1, size: 3, gatherMs: LONG_MS });
    const all = [write([1, 2]), write([3])];
    expect(items()).toEqual([[1, 2, 3]]);
    batches[0]!.end();
    await Promise.all(all);
  });

  test('all callers of a batch hear of its failure, and the next one is written', async () => {
    const { batches, write } = heldWrites({ atOnce: 1, size: 2, gatherMs: 1 });
    const failing = [write([1]), write([2])].map((call) => expect(call).rejects.toThrow('away'));
    const next = write([3]);
    batches[0]!.end(new Error('away'));
    await Promise.all(failing);
    batches[1]!.end();
    await next;
  });
});
