import { expect, test } from '@jest/globals';
import { refreshed } from './refreshed.ts';

const AGES = { freshMs: 1_000, servedMs: 5_000 };

/** A source whose reads end when the test says so, by a clock that the test moves. */
function source() {
  let nowMs = 1_000_000;
  const reads: PromiseWithResolvers<string>[] = [];
  const awaited: boolean[] = [];
  const get = refreshed({ nowMs: () => nowMs }, AGES, (isAwaited) => {
    awaited.push(isAwaited);
    const read = Promise.withResolvers<string>();
    reads.push(read);
    return read.promise;
  });
  return {
    get,
    reads,
    awaited,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

test('reads once for all who ask at the same time', async () => {
  const { get, reads } = source();
  const both = Promise.all([get(), get()]);
  reads[0]!.resolve('first');
  expect(await both).toEqual([
    { value: 'first', atMs: 1_000_000 },
    { value: 'first', atMs: 1_000_000 },
  ]);
  expect(reads).toHaveLength(1);
});

test('returns a value that is not fresh at once, says when it was taken, and reads the next one meanwhile', async () => {
  const { get, reads, awaited, pass } = source();
  const first = get();
  reads[0]!.resolve('first');
  await first;
  pass(4_999);
  expect(await get()).toEqual({ value: 'first', atMs: 1_000_000 });
  expect(reads).toHaveLength(2);
  reads[1]!.resolve('second');
  await reads[1]!.promise;
  expect(await get()).toEqual({ value: 'second', atMs: 1_004_999 });
  expect(awaited).toEqual([true, false]);
});

test('returns no value that is too old', async () => {
  const { get, reads, pass } = source();
  const first = get();
  reads[0]!.resolve('first');
  await first;
  pass(5_000);
  const second = get();
  reads[1]!.resolve('second');
  expect(await second).toEqual({ value: 'second', atMs: 1_005_000 });
});

test('reads again after a failure, which only those hear of who have no older value', async () => {
  const { get, reads, pass } = source();
  const first = get();
  reads[0]!.reject(new Error('away'));
  await expect(first).rejects.toThrow('away');
  const second = get();
  reads[1]!.resolve('second');
  await second;
  pass(2_000);
  expect(await get()).toMatchObject({ value: 'second' });
  reads[2]!.reject(new Error('away'));
  await reads[2]!.promise.catch(() => {});
  expect(await get()).toMatchObject({ value: 'second' });
  expect(reads).toHaveLength(4);
});
