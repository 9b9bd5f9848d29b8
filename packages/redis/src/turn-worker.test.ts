import { setTimeout as sleep } from 'node:timers/promises';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { connectRedis, type RedisHandles } from './connect.ts';
import { type TurnQueue, turnQueue } from './turn-queue.ts';
import { type Turn, type TurnsHeld, type TurnWorker, turnWorker } from './turn-worker.ts';

const log: Parameters<typeof turnWorker>[0]['log'] = { warn: () => {}, error: () => {} };
let server: TestRedis;
let redis: RedisHandles;
let queue: TurnQueue;
const workers: TurnWorker[] = [];

beforeAll(async () => {
  server = await startTestRedis();
  redis = await connectRedis({ url: server.url, log });
  queue = turnQueue(redis, 'push');
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
  await redis.commands.flushall();
});
afterAll(async () => {
  await queue.close();
  await redis.close();
  await server.stop();
});

const work = (run: Turn, options: { concurrency?: number; turnsHeld?: TurnsHeld; log?: typeof log } = {}) => {
  const worker = turnWorker({ redis, queue, concurrency: 10, run, log, ...options });
  worker.serve([1]);
  workers.push(worker);
};

/** A turn that can be held open, and counts how often each subject had one. */
function heldTurns() {
  const turns: number[] = [];
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const run = async (subject: number) => {
    turns.push(subject);
    await held;
  };
  return { turns, release: () => release(), run };
}

describe('turns', () => {
  test('any number of wakes during a turn give exactly one more', async () => {
    const { turns, release, run } = heldTurns();
    work(async (subject) => {
      await run(subject);
      return { next: 'idle' };
    });
    await queue.wake(7);
    await waitFor(() => turns.length === 1);
    for (let wakes = 0; wakes < 20; wakes += 1) await queue.wake(7);
    release();
    await waitFor(async () => turns.length === 2 && (await idle()));
    expect(turns).toEqual([7, 7]);
  });

  test('the longest wait is that of turns which could run, not of those that sleep', async () => {
    const pendingIn = (ms: number) => queue.oldestPendingMs(Date.now() + ms);
    expect(await pendingIn(60_000)).toBe(0);
    await queue.sleepUntil(1, Date.now() + 600_000);
    expect(await pendingIn(60_000)).toBe(0);
    // No worker takes it at its time, so it waits from then on.
    expect(await pendingIn(660_000)).toBeGreaterThan(59_000);
    await queue.wake(2);
    expect(await pendingIn(60_000)).toBeGreaterThan(59_000);
    work(async () => ({ next: 'idle' }));
    await waitFor(async () => (await pendingIn(60_000)) === 0);
  });

  test('of one subject at most one turn runs, over all workers', async () => {
    let running = 0;
    let most = 0;
    let taken = 0;
    const run: Turn = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      taken += 1;
      return taken < 20 ? { next: 'again' } : { next: 'idle' };
    };
    work(run);
    work(run);
    await Promise.all(Array.from({ length: 10 }, () => queue.wake(1)));
    await waitFor(async () => taken >= 20 && (await idle()));
    expect(most).toBe(1);
  });

  test('a sleeping turn wakes at once when it is woken, and is left alone when only ensured', async () => {
    const turns: number[] = [];
    work(async (subject) => {
      turns.push(subject);
      return turns.length === 1 ? { next: 'at', atMs: Date.now() + 3_600_000 } : { next: 'idle' };
    });
    await queue.wake(3);
    await waitFor(async () => (await queue.counts()).delayed === 1);
    await queue.ensure([3]);
    await queue.ensure([3], 2 * 3_600_000);
    expect(await queue.counts()).toMatchObject({ delayed: 1, waiting: 0, active: 0 });
    await queue.wake(3);
    await waitFor(() => turns.length === 2);
    await queue.sleepUntil(3, Date.now() + 3_600_000);
    await queue.ensure([3], 60_000);
    await waitFor(() => turns.length === 3);
  });

  test('turns that are missing are added, those that wait are not added twice, and one that lost its job is added anew', async () => {
    await queue.ensure([1, 2]);
    await queue.ensure([1, 2, 3]);
    expect(await queue.counts()).toMatchObject({ waiting: 3 });
    const [part] = queue.parts;
    const [job] = await redis.commands.lrange(part!.toKey('wait'), 0, 0);
    await redis.commands.del(part!.toKey(job!));
    await redis.commands.lrem(part!.toKey('wait'), 1, job!);
    await queue.ensure([1, 2, 3]);
    expect(await queue.counts()).toMatchObject({ waiting: 3 });
  });

  test('a sleeping turn runs at its time', async () => {
    const turns: number[] = [];
    work(async (subject) => {
      turns.push(subject);
      return turns.length === 1 ? { next: 'at', atMs: Date.now() + 50 } : { next: 'idle' };
    });
    await queue.wake(3);
    await waitFor(() => turns.length === 2);
  });

  test('work that came while a turn stored its sleep is looked at again', async () => {
    const turns: number[] = [];
    work(async (subject) => {
      turns.push(subject);
      return turns.length === 1
        ? { next: 'at', atMs: Date.now() + 3_600_000, lookAgain: async () => true }
        : { next: 'idle' };
    });
    await queue.wake(3);
    await waitFor(() => turns.length === 2);
  });

  test('a turn that fails is taken again', async () => {
    const turns: number[] = [];
    work(async (subject) => {
      turns.push(subject);
      if (turns.length === 1) throw new Error('broken');
      return { next: 'idle' };
    });
    await queue.wake(3);
    await waitFor(() => turns.length === 2);
  });

  test('closing aborts what runs and leaves it to the next worker', async () => {
    const turns: string[] = [];
    work(async (_subject, lease) => {
      turns.push('first');
      // A worker that closes may get the turn once more, which is aborted from its beginning.
      if (!lease.signal.aborted) await new Promise((resolve) => lease.signal.addEventListener('abort', resolve));
      expect(lease.ownsTurn()).toBe(false);
      return { next: 'again' };
    });
    await queue.wake(5);
    await waitFor(() => turns.length === 1);
    await workers.pop()!.close();
    work(async () => {
      turns.push('second');
      return { next: 'idle' };
    });
    // If the first worker could not give it back, its lock expires.
    await waitFor(() => turns.includes('second'), { timeoutMs: 30_000 });
  }, 60_000);

  test('turns that are held let others run, are not too many, and wait for room when they go on', async () => {
    let goOn: () => void = () => {};
    const news = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let running = 0;
    let most = 0;
    const wereHeld: number[] = [];
    const ended: number[] = [];
    const run: Turn = async (subject, lease) => {
      running += 1;
      most = Math.max(most, running);
      await sleep(5);
      running -= 1;
      if (lease.mayHold()) {
        wereHeld.push(subject);
        await lease.hold(news);
        running += 1;
        most = Math.max(most, running);
        await sleep(5);
        running -= 1;
      }
      ended.push(subject);
      return { next: 'idle' };
    };
    work(run, { concurrency: 2, turnsHeld: { count: 0, atMost: 20 } });
    for (let subject = 1; subject <= 30; subject += 1) {
      await queue.wake(subject);
      await waitFor(() => wereHeld.length + ended.length === subject);
    }
    expect([wereHeld.length, ended.length]).toEqual([20, 10]);
    goOn();
    await waitFor(() => ended.length === 30);
    expect(most).toBe(2);
  });

  test('the first of many turns starts before the others are fetched', async () => {
    const subjects = Array.from({ length: 400 }, (_, at) => at + 1);
    await queue.wakeAll(subjects);
    const waitingAtStart: Promise<Record<string, number>>[] = [];
    const { turns, release, run } = heldTurns();
    const many = async (subject: number) => {
      if (turns.length === 0) waitingAtStart.push(queue.counts());
      await run(subject);
      return { next: 'idle' } as const;
    };
    work(many, { concurrency: 1000 });
    await waitFor(() => turns.length === subjects.length);
    expect((await waitingAtStart[0])?.waiting).toBeGreaterThan(200);
    release();
    await waitFor(idle);
  });

  test('a turn is not held while more than half of the turns that may run do', async () => {
    let goOn: () => void = () => {};
    const news = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const asks: (() => boolean)[] = [];
    const run: Turn = async (_subject, lease) => {
      asks.push(lease.mayHold);
      await news;
      return { next: 'idle' };
    };
    work(run, { concurrency: 4, turnsHeld: { count: 0, atMost: 20 } });
    for (const [subject, may] of [true, true, false, false].entries()) {
      await queue.wake(subject + 1);
      await waitFor(() => asks.length === subject + 1);
      expect(asks.map((mayHold) => mayHold())).toEqual(asks.map(() => may));
    }
    goOn();
    await waitFor(idle);
  });

  test('a worker that holds thousands of turns keeps their locks, and stops', async () => {
    let held = 0;
    let lost = 0;
    const run: Turn = async (_subject, lease) => {
      held += 1;
      await lease.hold(new Promise((resolve) => lease.signal.addEventListener('abort', () => resolve())));
      if (String(lease.signal.reason).includes('lock')) lost += 1;
      return { next: 'idle' };
    };
    const warnings: string[] = [];
    const warn = (fields: object, message: string) => void warnings.push(`${message} ${JSON.stringify(fields)}`);
    work(run, { concurrency: 50, turnsHeld: { count: 0, atMost: 5_000 }, log: { ...log, warn } });
    await queue.wakeAll(Array.from({ length: 3_000 }, (_, at) => at + 1));
    await waitFor(() => held === 3_000, { timeoutMs: 60_000 });
    // Beyond the life of a lock, which is 10 s.
    const beganAtMs = performance.now();
    await waitFor(() => performance.now() - beganAtMs > 12_000, { timeoutMs: 20_000 });
    await workers.pop()!.close();
    expect([lost, warnings]).toEqual([0, []]);
    expect(await idle()).toBe(true);
  }, 150_000);

  test('a Redis that is full is asked about once a second, and turns go on when it has room', async () => {
    const turns: number[] = [];
    await queue.wakeAll([1, 2, 3]);
    await redis.commands.config('SET', 'maxmemory', '1');
    work(async (subject) => {
      turns.push(subject);
      return { next: 'idle' };
    });
    const beganAtMs = performance.now();
    await waitFor(() => performance.now() - beganAtMs > 3_000);
    const refused = Number(/errorstat_OOM:count=(\d+)/.exec(await redis.commands.info('errorstats'))?.[1]);
    expect(turns).toEqual([]);
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThan(20);
    await redis.commands.config('SET', 'maxmemory', '0');
    await waitFor(() => turns.length === 3);
  });
});

async function idle(): Promise<boolean> {
  const counts = await queue.counts();
  return Object.values(counts).every((count) => count === 0);
}
