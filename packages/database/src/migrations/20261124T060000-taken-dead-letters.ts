import { type Kysely, sql } from 'kysely';

/** Whether the program that gave an update up took it alone. It is null in rows of releases that do not write it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table dead_letters add column taken boolean`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table dead_letters drop column taken`.execute(db);
}
