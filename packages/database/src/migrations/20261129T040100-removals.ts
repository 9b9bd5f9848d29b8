import { type Kysely, sql } from 'kysely';

/** How much retention last removed from each table, and what waits until somebody confirms it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table removals (
      table_name text primary key,
      last_rows bigint,
      waiting_rows bigint,
      waiting_before timestamptz,
      waiting_since timestamptz,
      confirmed_rows bigint,
      confirmed_at timestamptz
    )`.execute(db);
}
