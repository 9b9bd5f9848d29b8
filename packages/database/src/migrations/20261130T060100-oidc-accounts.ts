import { type Kysely, sql } from 'kysely';

/** The identity by which an account signs in at an identity provider; null: it signs in with a password. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table accounts add column oidc_issuer text, add column oidc_subject text`.execute(db);
}
