import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { CallError, isSignedOut } from './call.ts';
import { SESSION } from './session.tsx';

/** Figures on the screen are at most this old while it is looked at. */
export const REFRESH_MS = 10_000;
/** What is wrong in the whole fleet. */
export const ATTENTION = ['bots', 'attention'];
const RETRIES = 2;
/** Who is asked to wait so long does not ask again by itself: a search that took too long would take as long again. */
const LONG_S = 10;

/** Asks again after faults that pass; a 401 of any call shows the sign-in. */
export function createQueries(): QueryClient {
  const noticeEnd = (error: Error) => {
    if (isSignedOut(error)) queries.setQueryData(SESSION, null);
  };
  const queries: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: noticeEnd }),
    mutationCache: new MutationCache({ onError: noticeEnd }),
    defaultOptions: {
      queries: { retry: retryPassing, staleTime: REFRESH_MS / 2 },
      // Without a network an act fails at once; it must not happen later, when nobody expects it.
      mutations: { networkMode: 'always' },
    },
  });
  return queries;
}

/** Asks again: the network, the api or a store was away. */
export function retryPassing(failures: number, error: Error): boolean {
  return failures < RETRIES && isPassing(error);
}

function isPassing(error: Error): boolean {
  if (!(error instanceof CallError) || (error.retryAfterS ?? 0) >= LONG_S) return false;
  return error.status === 0 || error.status >= 500;
}
