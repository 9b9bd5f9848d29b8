import { type Kysely, sql } from 'kysely';

/** The beginning of the backend's last answer. It is null in rows of releases that do not write it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table dead_letters add column response_excerpt text`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table dead_letters drop column response_excerpt`.execute(db);
}
