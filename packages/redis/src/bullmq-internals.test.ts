import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ConnectionOptions, Queue } from 'bullmq';
import { deduplicationKey, delayedKey, dueAtMs, ResizableWorker } from './bullmq-internals.ts';
import { connectRedis, type RedisHandles } from './connect.ts';

let server: TestRedis;
let redis: RedisHandles;
let queue: Queue;

beforeAll(async () => {
  server = await startTestRedis();
  redis = await connectRedis({ url: server.url, log: { warn: () => {} } });
  queue = new Queue('internals', { connection: redis.commands as unknown as ConnectionOptions });
});
afterAll(async () => {
  await queue.close();
  await redis.close();
  await server.stop();
});

test('a worker notices a higher limit while every job that it allowed still runs', async () => {
  const running: string[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const worker = new ResizableWorker(
    queue.name,
    async (job) => {
      running.push(job.name);
      await held;
    },
    { connection: redis.ofQueues() as unknown as ConnectionOptions, concurrency: 1 },
  );
  try {
    await queue.addBulk(['first', 'second'].map((name) => ({ name, data: {} })));
    await waitFor(() => running.length === 1);
    worker.allow(2);
    await waitFor(() => running.length === 2);
  } finally {
    release();
    await worker.close();
  }
});

test('a job that ends while locks are renewed has not lost its own', async () => {
  const worker = new ResizableWorker(queue.name, null, {
    connection: redis.ofQueues() as unknown as ConnectionOptions,
  });
  worker.runs = (id) => id === 'running';
  const ids = ['ended', 'running'];
  expect(await worker.extendJobLocks(ids, ['token', 'token'], 10_000)).toEqual(['running']);
  await worker.close();
});

test('the job of a deduplication id and the time of a delayed job are found where BullMQ keeps them', async () => {
  const before = Date.now();
  const { id } = await queue.add('later', {}, { delay: 60_000, deduplication: { id: 'subject' } });
  expect(await redis.commands.get(deduplicationKey(queue, 'subject'))).toBe(id);
  expect(await redis.commands.exists(queue.toKey(id!))).toBe(1);
  const [, score] = await redis.commands.zrange(delayedKey(queue), '0', '0', 'WITHSCORES');
  expect(Math.floor(dueAtMs(score!))).toBeGreaterThanOrEqual(before + 60_000);
  expect(Math.floor(dueAtMs(score!))).toBeLessThanOrEqual(Date.now() + 60_000);
});
