import { type Kysely, sql } from 'kysely';

/** The most updates that waited at once in the hour; null where nobody looked, as in the hours of earlier releases. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table activity_hours add column waiting bigint`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table activity_hours drop column waiting`.execute(db);
}
