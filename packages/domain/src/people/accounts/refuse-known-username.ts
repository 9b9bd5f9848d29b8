import { readSqlState } from '@flotilla/database/is-unavailable.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';

const UNIQUE_VIOLATION = '23505';

/** Throws 'conflict' if the username is taken, in any spelling. */
export function refuseKnownUsername(error: unknown): never {
  if (readSqlState(error) !== UNIQUE_VIOLATION) throw error;
  throw new FlotillaError('conflict', 'An account with this username exists already');
}
