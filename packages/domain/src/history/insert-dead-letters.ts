import type { Database } from '@flotilla/database/connect.ts';
import type { DeadLetterRow } from './dead-letter-rows.ts';

/** Stores what could not be delivered or kept; a dead letter that is there already is not added again. */
export async function insertDeadLetters(db: Database, rows: DeadLetterRow[]): Promise<void> {
  await db
    .insertInto('dead_letters')
    .values(rows)
    .onConflict((conflict) => conflict.column('capture_key').doNothing())
    .execute();
}
