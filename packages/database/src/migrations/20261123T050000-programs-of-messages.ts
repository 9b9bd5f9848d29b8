import { type Kysely, sql } from 'kysely';

/** The program that sent a message with a token of its own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table messages add column program_id bigint`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table messages drop column program_id`.execute(db);
}
