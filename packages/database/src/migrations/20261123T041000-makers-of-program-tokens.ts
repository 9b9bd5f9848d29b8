import { type Kysely, sql } from 'kysely';

/** Who made a token of a program. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table program_tokens add column made_by text`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table program_tokens drop column made_by`.execute(db);
}
