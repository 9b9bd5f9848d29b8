import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Response } from 'express';
import type { Context } from '../context.ts';
import { showRateLimits } from '../http/rate-limit-headers.ts';
import { untilGone } from '../http/until-gone.ts';

/** More than a page of the console asks at once, and less than the connections of a process to Postgres. */
const SEARCHES_OF_ACCOUNT = 4;

/**
 * Runs a search with a signal that aborts when the client has gone; `nothing` is then the answer. Throws 'too_many_requests' if the
 * account runs too many already.
 */
export async function whileWanted<Found>(
  { searches }: Pick<Context, 'searches'>,
  { account }: Caller,
  response: Response,
  nothing: Found,
  search: (signal: AbortSignal) => Promise<Found>,
): Promise<Found> {
  const running = searches.get(account.id) ?? 0;
  const remaining = SEARCHES_OF_ACCOUNT - running - 1;
  showRateLimits(response, [{ name: 'searches', quota: SEARCHES_OF_ACCOUNT, remaining, window: null }]);
  if (running >= SEARCHES_OF_ACCOUNT) {
    throw new FlotillaError('too_many_requests', 'This account runs too many searches at once; try again', {
      retryAfterS: 1,
    });
  }
  searches.set(account.id, running + 1);
  try {
    return await untilGone([], response, (signal) =>
      search(signal).catch((error: unknown) => {
        if (signal.aborted) return nothing;
        throw error;
      }),
    );
  } finally {
    const left = (searches.get(account.id) ?? 1) - 1;
    if (left === 0) searches.delete(account.id);
    else searches.set(account.id, left);
  }
}
