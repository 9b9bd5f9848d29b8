import { type Kysely, sql } from 'kysely';

/** What a token that sets a webhook asks for: JSON array of kinds as text. Null: all that the program gets. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table programs add column webhook_kinds text`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table programs drop column webhook_kinds`.execute(db);
}
