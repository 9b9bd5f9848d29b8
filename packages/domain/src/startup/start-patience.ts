import { isRefusedLogin, isUnavailable } from '@flotilla/database/is-unavailable.ts';
import { isRedisUnavailable } from '@flotilla/redis/is-redis-unavailable.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import { type Patience, patience } from '@flotilla/runtime/until-available.ts';

/**
 * The patience of a process that starts while a store is away: it waits as running ones do, and says so once. What waiting
 * does not mend ends the start: a refused login or certificate, a pending migration.
 */
export function startPatience(
  { log, signal }: { log: Logger; signal: AbortSignal | undefined },
  store: 'Redis' | 'Postgres',
  onWait: () => void | Promise<void> = () => {},
): Patience {
  return patience({
    isAway: (error) => isRedisUnavailable(error) || (isUnavailable(error) && !isRefusedLogin(error)),
    signal,
    onWait: async (error) => {
      log.warn({ reason: String(error) }, `waiting for ${store}`);
      await onWait();
    },
  });
}
