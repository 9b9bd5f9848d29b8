import { type Kysely, sql } from 'kysely';

/** What a message is that has neither words nor a medium; null in the rows of releases that do not write it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table messages add column service text`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table messages drop column service`.execute(db);
}
