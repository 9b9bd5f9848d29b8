import { isUnavailable } from '@flotilla/database/is-unavailable.ts';
import { isRedisUnavailable } from '@flotilla/redis/is-redis-unavailable.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';

/** True if Postgres, Redis or the bot directory was unavailable: the unit waits, and that was no try. */
export function isStoreAway(error: unknown): boolean {
  if (error instanceof FlotillaError) return error.code === 'unavailable';
  return isUnavailable(error) || isRedisUnavailable(error);
}

/** How long a unit waits whose handling failed on our side: a store was away, or our own code failed. */
export const FAILED_PAUSE_MS = 1_000;
