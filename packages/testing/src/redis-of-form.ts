import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { startTestRedis } from './redis.ts';
import { startTestRedisCluster } from './redis-cluster.ts';
import { startTestRedisSentinel } from './redis-sentinel.ts';
import type { ReplicatedRedis } from './replicated-redis.ts';

/** These tests must cause no failover, and a busy machine can keep a server silent for long. */
const SILENT_MS = 30_000;

export type RedisOfForm = Omit<ReplicatedRedis, 'masters' | 'servers'>;

/** Starts a Redis of the form that TEST_REDIS names: single (the default), sentinel or cluster. */
export async function startRedisOfForm(): Promise<RedisOfForm> {
  const form = inheritedEnv().TEST_REDIS || 'single';
  switch (form) {
    case 'single':
      return startTestRedis();
    case 'sentinel':
      return startTestRedisSentinel({ silentMs: SILENT_MS });
    case 'cluster':
      return startTestRedisCluster({ silentMs: SILENT_MS });
    default:
      throw new Error(`TEST_REDIS must be single, sentinel or cluster, and not ${form}`);
  }
}
