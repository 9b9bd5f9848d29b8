import type { Database } from '@flotilla/database/connect.ts';
import { isUnavailable } from '@flotilla/database/is-unavailable.ts';
import type { Scope } from '../../people/accounts/scope.ts';
import { deadLetterStore } from './dead-letter-store.ts';

/** The dead letters in the scope: an estimate from 100,000 on. null while Postgres is away. */
export async function countDeadLetters({ db }: { db: Database }, scope: Scope): Promise<number | null> {
  if (scope.bots !== 'all' && scope.bots.size === 0) return 0;
  return deadLetterStore(db)
    .countMany(scope)
    .catch((error: unknown) => {
      if (!isUnavailable(error)) throw error;
      return null;
    });
}
