import { type Kysely, sql } from 'kysely';

/** When retention last removed about as much as `last_rows`: a smaller removal does not replace it before 35 days are over. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table removals add column last_at timestamptz`.execute(db);
}
