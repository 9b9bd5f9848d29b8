import type { Database } from '@flotilla/database/connect.ts';
import { type RawBuilder, sql } from 'kysely';

/** To count the rows of large tables would take minutes. */
export async function estimateRows(db: Database, query: RawBuilder<unknown>): Promise<number> {
  type Explained = { 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] };
  const { rows } = await sql<Explained>`explain (format json) ${query}`.execute(db);
  return rows[0]!['QUERY PLAN'][0].Plan['Plan Rows'];
}
