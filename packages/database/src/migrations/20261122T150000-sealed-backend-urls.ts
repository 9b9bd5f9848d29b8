import { type Kysely, sql } from 'kysely';

/**
 * Expand: adds a column for sealed backend URLs, because they may contain passwords. While processes of the previous
 * release may run, the plain column is written; `rotate-keys` then moves every URL and empties that column. The next
 * release drops `backend_url`, and no longer opens texts that are bound to no place (`v1.…`).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table bots add column backend_url_sealed text not null default ''`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table bots drop column backend_url_sealed`.execute(db);
}
