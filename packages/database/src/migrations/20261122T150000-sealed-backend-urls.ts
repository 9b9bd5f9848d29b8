import { type Kysely, sql } from 'kysely';

/**
 * Expand: a place for backend URLs that are sealed, since there are passwords in them. For as long as a process of the
 * previous release may run, the plain column is what is written; `rotate-keys` then moves every URL over and empties it.
 * The next release drops `backend_url`, and opens no text that is not bound to its place (`v1.…`) any more.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table bots add column backend_url_sealed text not null default ''`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table bots drop column backend_url_sealed`.execute(db);
}
