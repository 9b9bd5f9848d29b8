import { readSqlState } from '@flotilla/database/is-unavailable.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';

/** Less than the limit of one statement, and all that a person waits for. */
const SEARCH_MS = 4_000;
const QUERY_CANCELED = '57014';

/** Runs a search, with a signal that aborts with `signal` and when the time is over. Throws 'unavailable' for the latter. */
export async function withinSearchTime<Found>(
  signal: AbortSignal | undefined,
  search: (ended: AbortSignal) => Promise<Found>,
): Promise<Found> {
  const over = AbortSignal.timeout(SEARCH_MS);
  const ended = signal === undefined ? over : AbortSignal.any([signal, over]);
  try {
    return await search(ended);
  } catch (error) {
    if (signal?.aborted || !(over.aborted || readSqlState(error) === QUERY_CANCELED)) throw error;
    throw new FlotillaError(
      'unavailable',
      'The search took too long; search one bot or chat, a shorter time, or for a rarer word',
      { retryAfterS: 10 },
    );
  }
}
