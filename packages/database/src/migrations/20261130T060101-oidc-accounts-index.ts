import { type Kysely, sql } from 'kysely';

export const outsideTransaction = true;

/** An identity belongs to one account at most. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists accounts_identity`.execute(db);
  await sql`create unique index concurrently accounts_identity on accounts (oidc_issuer, oidc_subject)`.execute(db);
}
