import type { RedisTarget } from '@flotilla/runtime/redis-url.ts';
import type { RedisClient } from './open-client.ts';

const FORM_OF_MODE: Record<string, string> = {
  standalone: 'a single server (redis://)',
  cluster: 'a node of a cluster (redis-cluster://)',
  sentinel: 'a Sentinel (redis-sentinel://)',
};

/** Throws when REDIS_URL names a server of another kind: with one node of a cluster, say, most keys would fail. */
export async function checkServerMode(client: RedisClient, target: RedisTarget): Promise<void> {
  const mode = /^redis_mode:(\w+)/m.exec(await client.info('server'))?.[1];
  const expected = target.form === 'cluster' ? 'cluster' : 'standalone';
  const found = FORM_OF_MODE[mode ?? ''];
  if (mode === expected || found === undefined) return;
  throw new Error(`REDIS_URL names ${FORM_OF_MODE[expected]}, but what answers there is ${found}`);
}
