import { startTestRedis } from '@flotilla/testing/redis.ts';
import { startTestRedisCluster } from '@flotilla/testing/redis-cluster.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { expect, test } from '@jest/globals';
import { connectRedis } from './connect.ts';

const log = { warn: () => {} };

test('a server has a name while it runs, none while it is away, and another one when it was restarted', async () => {
  const server = await startTestRedis();
  const redis = await connectRedis({ url: server.url, log });
  const first = await waitFor(() => redis.runIds());
  expect(await redis.commands.eval("return redis.call('INFO', 'server')", 0)).toContain(`run_id:${first}\r\n`);
  server.kill();
  await waitFor(() => redis.runIds() === '');
  await server.restart();
  expect(await waitFor(() => redis.runIds())).not.toBe(first);
  await redis.close();
  await server.stop();
});

test('of a cluster all masters are named, and the one that replaces a master', async () => {
  const cluster = await startTestRedisCluster({ replicas: true });
  const redis = await connectRedis({ url: cluster.url, log });
  const names = () => redis.runIds().split(' ').sort();
  const expected = async () => {
    const masters = await cluster.masters();
    return (await Promise.all(masters.map((master) => master.info('run_id')))).map(String).sort();
  };
  await waitFor(async () => JSON.stringify(names()) === JSON.stringify(await expected()), { timeoutMs: 20_000 });
  expect(names()).toHaveLength(3);
  const before = names();
  (await cluster.masters())[0]?.kill();
  await waitFor(async () => (await cluster.masters()).length === 3, { timeoutMs: 60_000 });
  await waitFor(async () => JSON.stringify(names()) === JSON.stringify(await expected()), { timeoutMs: 30_000 });
  expect(names()).not.toEqual(before);
  await redis.close();
  await cluster.stop();
}, 150_000);
