import { randomUUID } from 'node:crypto';
import { authKeys } from '@flotilla/redis/keys.ts';
import type { AccountDeps } from './account-deps.ts';

/**
 * Runs a change of accounts or keys and makes every process forget what it cached of them. The version is drawn before
 * the change too: with Redis away nothing is changed, so that no revoked key lives on in a cache.
 */
export async function changeCredentials<T>(deps: AccountDeps, change: () => Promise<T>): Promise<T> {
  await drawVersion(deps);
  const result = await change();
  await drawVersion(deps);
  return result;
}

// Random and not counted: after an empty Redis a counter could repeat an old value.
async function drawVersion({ redis }: AccountDeps): Promise<void> {
  await redis.commands.set(authKeys.version, randomUUID());
}
