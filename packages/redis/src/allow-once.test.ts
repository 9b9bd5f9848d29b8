import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { allowOnce } from './allow-once.ts';
import { connectRedis, type RedisHandles } from './connect.ts';

let server: TestRedis;
let redis: RedisHandles;

beforeAll(async () => {
  server = await startTestRedis();
  redis = await connectRedis({ url: server.url, log: { warn: () => {} } });
});
afterAll(async () => {
  await redis.close();
  await server.stop();
});

test('of several calls with a key one is allowed, and others do not prolong its time', async () => {
  const allowed = await Promise.all([1, 2, 3].map(() => allowOnce(redis, 'some', 60_000)));
  expect(allowed.filter(Boolean)).toHaveLength(1);
  expect(await allowOnce(redis, 'some', 600_000)).toBe(false);
  expect(await redis.commands.pttl('some')).toBeLessThanOrEqual(60_000);
  expect(await allowOnce(redis, 'other', 60_000)).toBe(true);
});

test('when the time is over, the next call is allowed', async () => {
  expect(await allowOnce(redis, 'brief', 1)).toBe(true);
  await waitFor(() => allowOnce(redis, 'brief', 60_000));
  expect(await allowOnce(redis, 'brief', 60_000)).toBe(false);
});
