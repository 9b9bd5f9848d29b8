import { readSqlState } from '@flotilla/database/is-unavailable.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';

const FOREIGN_KEY_VIOLATION = '23503';

/** Says of a row that names a bot which is gone by now what is said of any unknown bot: 'not_found'. */
export function refuseUnknownBot(error: unknown): never {
  if (readSqlState(error) === FOREIGN_KEY_VIOLATION) throw new FlotillaError('not_found', 'Bot not found');
  throw error;
}
