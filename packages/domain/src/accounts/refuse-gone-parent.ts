import { readSqlState } from '@flotilla/database/is-unavailable.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';

const FOREIGN_KEY_VIOLATION = '23503';

/** Says of a key that was to be made by one, or for an account, that is gone by now: 'unauthorized'. */
export function refuseGoneParent(error: unknown): never {
  if (readSqlState(error) !== FOREIGN_KEY_VIOLATION) throw error;
  throw new FlotillaError('unauthorized', 'The API key or session has ended');
}
