import { type Kysely, sql } from 'kysely';

/** The account that made a token, by id: a username may change, and another account may get it later. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table program_tokens add column made_by_id bigint`.execute(db);
  await sql`
    update program_tokens set made_by_id = accounts.id from accounts where accounts.username = program_tokens.made_by
  `.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table program_tokens drop column made_by_id`.execute(db);
}
