import { mock } from 'node:test';
import { setImmediate as nextPass } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { repeatWork } from './repeat-work.ts';

const EVERY_MS = 1_000;
const warnings: string[] = [];
const log = { warn: (_details: object, message: string) => warnings.push(message) } as never;

beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }));
afterEach(() => mock.timers.reset());

const rounds = async (count: number) => {
  for (let round = 0; round < count; round += 1) {
    mock.timers.tick(EVERY_MS);
    await nextPass();
  }
};

test('a run that takes long is the only one; when it fails, the next round makes up for it', async () => {
  const runs: PromiseWithResolvers<void>[] = [];
  const work = () => {
    const run = Promise.withResolvers<void>();
    runs.push(run);
    return run.promise;
  };
  const repeated = repeatWork({ log }, { everyMs: EVERY_MS, work, failure: 'this round failed' });
  await rounds(10);
  expect(runs).toHaveLength(1);

  runs[0]?.reject(new Error('Postgres is away'));
  await nextPass();
  await rounds(1);
  expect([runs.length, warnings]).toEqual([2, ['this round failed']]);

  const stopped = repeated.stop();
  runs[1]?.resolve();
  await stopped;
  await rounds(10);
  expect(runs).toHaveLength(2);
});

test('stopping aborts the run and waits for its end', async () => {
  const run = Promise.withResolvers<void>();
  let signal: AbortSignal | undefined;
  const work = (given: AbortSignal) => {
    signal = given;
    return run.promise;
  };
  const repeated = repeatWork({ log }, { everyMs: EVERY_MS, work, failure: 'this round failed' });
  let stopped = false;
  const stopping = repeated.stop().then(() => {
    stopped = true;
  });
  await nextPass();
  expect([signal?.aborted, stopped]).toEqual([true, false]);
  run.resolve();
  await stopping;
});
