import { mock } from 'node:test';
import { afterEach, expect, test } from '@jest/globals';
import { refreshed } from './refreshed.ts';

const AGES = { freshMs: 1_000, servedMs: 5_000, wantedMs: 60_000 };

afterEach(() => {
  mock.timers.reset();
});

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

/** Lets mocked time pass, second by second, so that what timers began can end. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    mock.timers.tick(1_000);
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  }
}

test('is read again for a minute after a call, so that nobody waits for the next value', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  let reads = 0;
  const get = refreshed({ nowMs: () => Date.now() }, AGES, async () => {
    reads += 1;
    return reads;
  });
  await get();
  await pass(59);
  const [before, asked] = [reads, Date.now()];
  const { value, atMs } = await get();
  expect(before).toBe(15);
  expect(value).toBe(before);
  expect(asked - atMs).toBeLessThan(5_000);
  await pass(600);
  expect(reads).toBe(31);
});

test('a renewal that fails is not repeated until somebody asks', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  let reads = 0;
  const get = refreshed({ nowMs: () => Date.now() }, AGES, async () => {
    reads += 1;
    if (reads === 2) throw new Error('away');
    return reads;
  });
  await get();
  await pass(10);
  expect(reads).toBe(2);
  expect(await get()).toMatchObject({ value: 3 });
});
