import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Quarantine } from '../../fleet/installation/quarantine.ts';
import { readReplicas } from './replicas.ts';

/**
 * Throws FlotillaError('conflict') if processes of another installation use this Redis: who adopts there stops them. A process in
 * quarantine announces itself in no Redis that may belong to others.
 */
export async function requireNoOwner(redis: RedisHandles, { redisOfOthers }: Quarantine): Promise<void> {
  const owners = redisOfOthers ? await readReplicas({ redis }) : [];
  if (owners.length === 0) return;
  const named = owners.map(({ kind, host }) => `${kind} on ${host}`).join(', ');
  throw new FlotillaError(
    'conflict',
    `Redis belongs to an installation that runs (${named}), and this would stop it. Correct REDIS_URL, or stop those processes and try again after 15 s. If you do mean to stop it, force this.`,
  );
}
