import { readSqlState } from '@flotilla/database/is-unavailable.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';

const UNIQUE_VIOLATION = '23505';

/** Throws 'conflict' if another view of the screen has the name. */
export function refuseKnownView(error: unknown): never {
  if (readSqlState(error) === UNIQUE_VIOLATION) {
    throw new FlotillaError('conflict', 'Another one of your views has this name');
  }
  throw error;
}
