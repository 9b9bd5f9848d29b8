import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { withTestRoom } from './test-room.ts';

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

test('a bot has two requests in flight at most, and leaves the rest to others', async () => {
  const deps = { redis, testsInFlight: new Set<{ botId: number }>() };
  const gate = Promise.withResolvers<void>();
  const test = async (botId: number) => {
    await redis.commands.del(botKeys(botId).recentTestDelivery);
    return withTestRoom(deps, botId, () => gate.promise);
  };
  const running = [test(1), test(2)];
  // Each begins after the one before, which holds the turn of its second.
  await expect(withTestRoom(deps, 3, async () => 'done')).resolves.toBe('done');
  running.push(test(1));
  while (deps.testsInFlight.size < 3) await redis.commands.ping();
  await expect(test(1)).rejects.toMatchObject({ code: 'too_many_requests' });
  expect([...deps.testsInFlight].map(({ botId }) => botId).toSorted()).toEqual([1, 1, 2]);
  gate.resolve();
  await Promise.all(running);
});
