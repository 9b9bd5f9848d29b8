import { type Kysely, sql } from 'kysely';

export const outsideTransaction = true;

/** Who signs in is looked up by it, and no two accounts have the same. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists accounts_username_key`.execute(db);
  await sql`create unique index concurrently accounts_username_key on accounts (username_key)`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists accounts_username_key`.execute(db);
}
