import type { Database } from '@flotilla/database/connect.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { WorkLimit } from './work-limit.ts';

export interface AccountDeps {
  db: Database;
  redis: RedisHandles;
  clock: Clock;
  log: Logger;
}

/** For what hashes passwords: `passwordWork` bounds how many are hashed at once. */
export type PasswordDeps = AccountDeps & { passwordWork: WorkLimit };
