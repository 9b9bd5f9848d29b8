import { readSqlState } from '@flotilla/database/is-unavailable.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';

const FOREIGN_KEY_VIOLATION = '23503';

/** Throws 'not_found' if the row's bot was deleted meanwhile, as for any unknown bot. */
export function refuseUnknownBot(error: unknown): never {
  if (readSqlState(error) === FOREIGN_KEY_VIOLATION) throw new FlotillaError('not_found', 'Bot not found');
  throw error;
}
