import { isUnavailable } from '@flotilla/database/is-unavailable.ts';
import { isRedisUnavailable } from '@flotilla/redis/is-redis-unavailable.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';

/** Whether Postgres, Redis or the bot directory was unavailable: the unit waits, and that was no try. */
export function isStoreAway(error: unknown): boolean {
  if (error instanceof FlotillaError) return error.code === 'unavailable';
  return isUnavailable(error) || isRedisUnavailable(error);
}

/** How long such a unit waits. */
export const STORE_AWAY_PAUSE_MS = 1_000;
