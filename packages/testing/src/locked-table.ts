import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';

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
