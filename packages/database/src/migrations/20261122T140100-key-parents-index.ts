import { type Kysely, sql } from 'kysely';

export const outsideTransaction = true;

/** Deleting a key looks up the keys that it made. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists api_keys_by_parent`.execute(db);
  await sql`create index concurrently api_keys_by_parent on api_keys (parent_id)`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists api_keys_by_parent`.execute(db);
}
