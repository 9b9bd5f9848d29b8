import type { Database } from '@flotilla/database/connect.ts';
import { readSqlState } from '@flotilla/database/is-unavailable.ts';
import { type RawBuilder, sql } from 'kysely';

const QUICK_MS = 1_000;
const QUERY_CANCELED = '57014';

/** To count the rows of large tables would take minutes. */
export async function estimateRows(db: Database, query: RawBuilder<unknown>): Promise<number> {
  type Explained = { 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] };
  const { rows } = await sql<Explained>`explain (format json) ${query}`.execute(db);
  return rows[0]!['QUERY PLAN'][0].Plan['Plan Rows'];
}

/** The rows of a query, counted up to `most`; null if that takes over a second, as it may where no index leads to them. */
export async function countUpTo(db: Database, query: RawBuilder<unknown>, most: number): Promise<number | null> {
  try {
    return await db.transaction().execute(async (transaction) => {
      await sql`select set_config('statement_timeout', ${String(QUICK_MS)}, true)`.execute(transaction);
      const counting = sql<{ count: number }>`select count(*) as count from (${query} limit ${most}) as found`;
      return Number((await counting.execute(transaction)).rows[0]!.count);
    });
  } catch (error) {
    if (readSqlState(error) === QUERY_CANCELED) return null;
    throw error;
  }
}
