import { type Kysely, sql } from 'kysely';

/** The id of the request that asked, and its trace; null: none is known. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table questions add column request_id text, add column traceparent text`.execute(db);
}
