import { randomUUID } from 'node:crypto';
import { authKeys } from '@flotilla/redis/keys.ts';
import type { AccountDeps } from './account-deps.ts';

/**
 * Runs a change of accounts or keys, and makes every process drop its cached copies by a new version. One is drawn before
 * the change too: if Redis is away, that fails and nothing changes, so no revoked key stays valid in a cache.
 */
export async function changeCredentials<T>(deps: AccountDeps, change: () => Promise<T>): Promise<T> {
  await drawVersion(deps);
  const result = await change();
  await drawVersion(deps);
  return result;
}

// Random, because a counter could repeat an old value after Redis lost its data.
async function drawVersion({ redis }: AccountDeps): Promise<void> {
  await redis.commands.set(authKeys.version, randomUUID());
}
