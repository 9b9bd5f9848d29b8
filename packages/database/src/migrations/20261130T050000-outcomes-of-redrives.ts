import { type Kysely, sql } from 'kysely';

/** The dead letters that a redrive gave back, so that it can tell how many then arrived. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table delivery_jobs add column sent text`.execute(db);
}
