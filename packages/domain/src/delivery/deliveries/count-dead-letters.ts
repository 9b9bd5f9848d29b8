import type { Database } from '@flotilla/database/connect.ts';
import { isUnavailable } from '@flotilla/database/is-unavailable.ts';
import { deadLetterStore } from './dead-letter-store.ts';

/** The dead letters of these bots, or of all: an estimate from 100,000 on. null while Postgres is away. */
export async function countDeadLetters(
  { db }: { db: Database },
  botIds: readonly number[] | 'all',
): Promise<number | null> {
  if (botIds !== 'all' && botIds.length === 0) return 0;
  return deadLetterStore(db)
    .countMany(botIds)
    .catch((error: unknown) => {
      if (!isUnavailable(error)) throw error;
      return null;
    });
}
