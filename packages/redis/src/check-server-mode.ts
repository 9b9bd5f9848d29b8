import { setTimeout as delay } from 'node:timers/promises';
import type { RedisTarget } from '@flotilla/runtime/redis-url.ts';
import { isRedisUnavailable } from './is-redis-unavailable.ts';
import type { RedisClient } from './open-client.ts';

const FORM_OF_MODE: Record<string, string> = {
  standalone: 'a single server (redis://)',
  cluster: 'a node of a cluster (redis-cluster://)',
  sentinel: 'a Sentinel (redis-sentinel://)',
};
const ANSWERED_WITHIN_MS = 5000;
const ASK_AGAIN_AFTER_MS = 100;

/**
 * Throws when REDIS_URL names a server of another kind. With one node of a cluster, for example, most keys would fail.
 */
export async function checkServerMode(client: RedisClient, target: RedisTarget): Promise<void> {
  const mode = /^redis_mode:(\w+)/m.exec(await readInfo(client))?.[1];
  const expected = target.form === 'cluster' ? 'cluster' : 'standalone';
  const found = FORM_OF_MODE[mode ?? ''];
  if (mode === expected || found === undefined) return;
  throw new Error(`REDIS_URL names ${FORM_OF_MODE[expected]}, but ${found} answers there`);
}

/** Waits for a late first answer, because a busy machine is no reason not to start. */
async function readInfo(client: RedisClient): Promise<string> {
  const giveUpAtMs = performance.now() + ANSWERED_WITHIN_MS;
  for (;;) {
    try {
      return await client.info('server');
    } catch (error) {
      if (!isRedisUnavailable(error) || performance.now() >= giveUpAtMs) throw error;
      await delay(ASK_AGAIN_AFTER_MS);
    }
  }
}
