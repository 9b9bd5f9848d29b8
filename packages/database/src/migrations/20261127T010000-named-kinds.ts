import { type Kysely, sql } from 'kysely';

/** Names of update kinds that readers of the bot asked for and that no release knew then. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table bots add column named_kinds jsonb not null default '[]'`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table bots drop column named_kinds`.execute(db);
}
