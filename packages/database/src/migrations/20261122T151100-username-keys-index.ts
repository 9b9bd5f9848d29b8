import { type Kysely, sql } from 'kysely';

export const outsideTransaction = true;

/** A sign-in looks the account up by this key, and the index keeps it unique. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists accounts_username_key`.execute(db);
  await sql`create unique index concurrently accounts_username_key on accounts (username_key)`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists accounts_username_key`.execute(db);
}
