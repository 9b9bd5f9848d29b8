import { readSqlState } from '@flotilla/database/is-unavailable.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';

const UNIQUE_VIOLATION = '23505';

/** Throws 'conflict' if another program of the bot has the name. */
export function refuseKnownName(error: unknown): never {
  if (readSqlState(error) === UNIQUE_VIOLATION) {
    throw new FlotillaError('conflict', 'Another program of the bot has this name');
  }
  throw error;
}
