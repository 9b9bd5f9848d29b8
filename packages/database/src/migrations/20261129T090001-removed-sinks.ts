import { type Kysely, sql } from 'kysely';

/** A sink that is gone, or was switched off or led elsewhere, stays until its receiver has the entry that says so. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table event_sinks add column removed_at timestamptz`.execute(db);
}
