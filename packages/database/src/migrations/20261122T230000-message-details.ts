import { type Kysely, sql } from 'kysely';

/**
 * What few messages have, in one column, because each further column costs the writer of history time. It is json and
 * no jsonb, which refuses the NUL characters and halves of surrogate pairs that the platform sends.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table messages add column details json`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table messages drop column details`.execute(db);
}
