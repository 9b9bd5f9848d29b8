import { type Kysely, sql } from 'kysely';

/** The id of the request that led to an event; null: none did. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table events add column request_id text`.execute(db);
}
