import { readSqlState } from '@flotilla/database/is-unavailable.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';

const FOREIGN_KEY_VIOLATION = '23503';

/** Throws 'unauthorized' if the parent key or the account was deleted meanwhile. */
export function refuseGoneParent(error: unknown): never {
  if (readSqlState(error) !== FOREIGN_KEY_VIOLATION) throw error;
  throw new FlotillaError('unauthorized', 'The API key or session has ended');
}
