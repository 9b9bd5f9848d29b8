import { type Kysely, sql } from 'kysely';

/** What the last changes of a bot did to the cursors of its readers, with their revisions. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table bots add column cursor_changes jsonb not null default '[]'`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table bots drop column cursor_changes`.execute(db);
}
