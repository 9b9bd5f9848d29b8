import { type Kysely, sql } from 'kysely';

/** The token that set the backend of a program; null if people did. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table programs add column webhook_token_id bigint`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table programs drop column webhook_token_id`.execute(db);
}
