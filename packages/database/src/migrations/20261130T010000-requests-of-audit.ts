import { type Kysely, sql } from 'kysely';

/** The id of the request by which somebody acted; null: none is known. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table audit_log add column request_id text`.execute(db);
}
