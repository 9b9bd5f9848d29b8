import { FlotillaError } from '@flotilla/contract/flotilla-error.ts';
import { readSqlState } from '@flotilla/database/is-unavailable.ts';

const UNIQUE_VIOLATION = '23505';

/** Says of a username that is taken, in any case: 'conflict'. */
export function refuseKnownUsername(error: unknown): never {
  if (readSqlState(error) !== UNIQUE_VIOLATION) throw error;
  throw new FlotillaError('conflict', 'An account with this username exists already');
}
