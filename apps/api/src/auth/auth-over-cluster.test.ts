import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { startTestRedisCluster } from '@flotilla/testing/redis-cluster.ts';
import type { ReplicatedRedis } from '@flotilla/testing/replicated-redis.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Response } from 'express';
import type { SessionData } from 'express-session';
import { RedisSessionStore } from './session-store.ts';
import { signInLimits } from './sign-in-limits.ts';

let cluster: ReplicatedRedis;
let redis: RedisHandles;

beforeAll(async () => {
  cluster = await startTestRedisCluster();
  redis = await connectRedis({ url: cluster.url, log: { warn: () => {} } });
}, 60_000);
afterAll(async () => {
  await redis?.close();
  await cluster?.stop();
}, 30_000);

test('sessions live on all nodes of a Redis Cluster, and end there', async () => {
  const store = new RedisSessionStore(redis, systemClock);
  const ids = Array.from({ length: 20 }, (_, at) => `session-${at}`);
  const endsAtMs = Date.now() + 60_000;
  const session = (at: number) =>
    ({
      accountId: at,
      sessionVersion: 1,
      endsAtMs,
      cookie: { originalMaxAge: null },
    }) as SessionData;
  const read = (id: string) =>
    new Promise((resolve, reject) => store.get(id, (error, found) => (error ? reject(error) : resolve(found))));
  await Promise.all(ids.map((id, at) => new Promise((done) => store.set(id, session(at), done))));
  expect(await Promise.all(ids.map(read))).toEqual(ids.map((_, at) => session(at)));
  await Promise.all(ids.map((id) => new Promise((done) => store.destroy(id, done))));
  expect(await Promise.all(ids.map(read))).toEqual(ids.map(() => null));
});

test('failed sign-ins are counted by account and by address, each on a node of its own', async () => {
  const limits = signInLimits(redis, systemClock);
  const response = Object.assign(new ServerResponse(new IncomingMessage(new Socket())), { locals: {} }) as Response;
  const from = (ip: string) => ({ request: { ip }, response });
  for (let failures = 0; failures < 5; failures += 1) await limits.attempt('anna', from(`10.0.0.${failures}`));
  await expect(limits.attempt('anna', from('10.0.1.1'))).rejects.toMatchObject({ code: 'too_many_requests' });
  const attempt = await limits.attempt('bert', from('10.0.0.1'));
  await attempt.succeeded();
  await expect(limits.attempt('bert', from('10.0.0.1'))).resolves.toBeDefined();
});
