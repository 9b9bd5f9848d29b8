import { type Kysely, sql } from 'kysely';

/** The kind of a message without words or a medium. It is null in rows of releases that do not write it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table messages add column service text`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table messages drop column service`.execute(db);
}
