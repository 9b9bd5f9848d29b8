import { setTimeout as sleep } from 'node:timers/promises';
import { startTestRedisCluster } from '@flotilla/testing/redis-cluster.ts';
import type { ReplicatedRedis } from '@flotilla/testing/replicated-redis.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { connectRedis, type RedisHandles } from './connect.ts';
import { QUEUE_SHARDS } from './keys.ts';
import { type TurnQueue, turnQueue } from './turn-queue.ts';
import { type Turn, type TurnWorker, turnWorker } from './turn-worker.ts';

const PARTS = QUEUE_SHARDS.length;
const log = { warn: () => {}, error: () => {} };
let server: ReplicatedRedis;
let redis: RedisHandles;
let queue: TurnQueue;
const workers: TurnWorker[] = [];

beforeAll(async () => {
  server = await startTestRedisCluster({ masters: 3 });
  redis = await connectRedis({ url: server.url, log });
  queue = turnQueue(redis, 'polling');
}, 60_000);
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
  for (const { connection } of await server.masters()) await connection.flushall();
});
afterAll(async () => {
  await queue?.close();
  await redis?.close();
  await server?.stop();
});

/** So many subjects of a part. */
const subjectsOf = (part: number, count: number) => Array.from({ length: count }, (_, at) => part + at * PARTS);
const work = (concurrency: number, subjects: number[], run: Turn) => {
  const worker = turnWorker({ redis, queue, concurrency, run, log });
  workers.push(worker);
  worker.serve(subjects);
};
const connections = async () => {
  const masters = await server.masters();
  const clients = await Promise.all(masters.map(({ info }) => info('connected_clients')));
  return clients.reduce((sum, count) => sum + Number(count), 0);
};

/** Moves the slot of this key from its master to another one, with all its keys. */
async function moveSlotOf(key: string): Promise<void> {
  const masters = await server.masters();
  const hold = await Promise.all(masters.map(({ connection }) => connection.exists(key).catch(() => 0)));
  const from = masters[hold.indexOf(1)]!;
  const to = masters.find((master) => master !== from)!;
  const slot = (await from.connection.call('cluster', 'keyslot', key)) as number;
  const [fromId, toId] = (await Promise.all(
    [from, to].map(({ connection }) => connection.call('cluster', 'myid')),
  )) as [string, string];
  await to.connection.call('cluster', 'setslot', slot, 'importing', fromId);
  await from.connection.call('cluster', 'setslot', slot, 'migrating', toId);
  const keys = (await from.connection.call('cluster', 'getkeysinslot', slot, 1000)) as string[];
  await from.connection.call('migrate', '127.0.0.1', to.port, '', 0, 5000, 'keys', ...keys);
  for (const { connection } of [to, from, ...masters]) await connection.call('cluster', 'setslot', slot, 'node', toId);
}

describe('a queue of turns over a Redis Cluster', () => {
  test('has as many parts on each of three masters', async () => {
    await queue.wakeAll(Array.from({ length: 1000 }, (_, at) => at));
    const masters = await server.masters();
    const lengths = await Promise.all(
      masters.map(async ({ connection }) => {
        const waiting = await connection.keys('*:wait');
        return Promise.all(waiting.map((key) => connection.llen(key)));
      }),
    );
    expect(lengths.map((each) => each.length)).toEqual([PARTS / 3, PARTS / 3, PARTS / 3]);
    for (const length of lengths.flat()) expect([Math.floor(1000 / PARTS), Math.ceil(1000 / PARTS)]).toContain(length);
    expect((await queue.counts()).waiting).toBe(1000);
    await queue.ensure(Array.from({ length: 1010 }, (_, at) => at));
    expect(await queue.counts()).toEqual({ active: 0, waiting: 1010, delayed: 0 });
  });

  test('has waited as long as the part that waits longest', async () => {
    await queue.sleepUntil(4, Date.now() + 600_000);
    await queue.sleepUntil(5, Date.now() + 900_000);
    expect(await queue.oldestPendingMs(Date.now())).toBe(0);
    expect(await queue.oldestPendingMs(Date.now() + 660_000)).toBeGreaterThan(59_000);
    expect((await queue.counts()).delayed).toBe(2);
  });

  test('is read on when the slot of a part moves to another master', async () => {
    const taken: number[] = [];
    work(10, [7], async (subject) => {
      taken.push(subject);
      return { next: 'idle' };
    });
    await queue.wake(7);
    await waitFor(() => taken.length === 1);
    await moveSlotOf(queue.partOf(7).toKey('meta'));
    const wake = () =>
      queue.wake(7).then(
        () => true,
        () => false,
      );
    await waitFor(wake, { timeoutMs: 10_000, message: 'a turn that is added' });
    await waitFor(() => taken.length > 1, { timeoutMs: 10_000, message: 'a turn that is taken' });
  }, 60_000);

  test('takes turns of every part when one part alone could fill the worker', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const begun: number[] = [];
    const ofFirst = subjectsOf(0, 100);
    const others = Array.from({ length: PARTS - 1 }, (_, at) => at + 1);
    await queue.wakeAll(ofFirst);
    work(2 * PARTS, [...ofFirst, ...others], async (subject) => {
      begun.push(subject);
      if (subject % PARTS === 0) await held;
      return { next: 'idle' };
    });
    // One place is left to each of the other parts.
    await waitFor(() => begun.length === PARTS + 1);
    await queue.wakeAll(others);
    await waitFor(() => begun.length === 2 * PARTS);
    expect(begun.slice(PARTS + 1).toSorted((one, other) => one - other)).toEqual(others);
    release();
    await waitFor(() => begun.length === 100 + others.length);
  });

  test('gives every part its share while all have more turns than the worker may run', async () => {
    const parts = [0, 5, 7];
    const turns = parts.flatMap((part) => subjectsOf(part, 200));
    const taken: number[] = [];
    let running = 0;
    let most = 0;
    for (const part of parts) await queue.wakeAll(subjectsOf(part, 200));
    work(6, turns, async (subject) => {
      running += 1;
      most = Math.max(most, running);
      taken.push(subject % PARTS);
      await sleep(5);
      running -= 1;
      return { next: 'idle' };
    });
    await waitFor(() => taken.length === turns.length, { timeoutMs: 30_000 });
    expect(most).toBe(6);
    const ofHalf = Map.groupBy(taken.slice(0, taken.length / 2), (part) => part);
    for (const part of parts) expect(ofHalf.get(part)?.length).toBeGreaterThan(60);
  }, 60_000);

  test('closes at any moment while its connections are made', async () => {
    for (let delayMs = 0; delayMs < 320; delayMs += 40) {
      work(10, subjectsOf(0, 1).concat(subjectsOf(5, 1), subjectsOf(9, 1)), async () => ({ next: 'idle' }));
      await sleep(delayMs);
      await workers.pop()!.close();
    }
  }, 120_000);

  test('costs a connection for each part that has bots, and finds a turn of an unknown one later', async () => {
    const taken: number[] = [];
    const run: Turn = async (subject) => {
      taken.push(subject);
      return { next: 'idle' };
    };
    work(10, [3], run);
    await queue.wake(3);
    await waitFor(() => taken.length === 1);
    const ofOnePart = await connections();
    work(10, [3], run);
    await waitFor(async () => (await connections()) === ofOnePart + 1);
    await queue.wake(4);
    await waitFor(() => taken.includes(4), { timeoutMs: 40_000 });
  }, 60_000);
});
