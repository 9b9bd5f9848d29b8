import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import { waitFor } from './wait-for.ts';

/** Holds a table, so that every statement that reads it waits. */
export function whileLocked(db: Database, table: string, work: () => Promise<void>): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(transaction);
    await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(transaction);
    await work();
  });
}

/** How many statements of this database wait for a lock. */
export async function waitingForLocks(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Asks while what `work` has changed is not committed. It is, once the question waits for a lock or was answered. */
export async function askBeforeCommit<Answer>(
  db: Database,
  work: (transaction: Database) => Promise<unknown>,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  let answer!: Promise<Answer>;
  await db.transaction().execute(async (transaction) => {
    await work(transaction);
    let isAnswered = false;
    answer = ask().finally(() => {
      isAnswered = true;
    });
    await waitFor(async () => isAnswered || (await waitingForLocks(db)) > 0, { message: 'an answer, or a lock' });
  });
  return answer;
}
