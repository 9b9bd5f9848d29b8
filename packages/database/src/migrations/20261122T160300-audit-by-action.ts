import { type Kysely, sql } from 'kysely';

/** For one kind of action over the whole fleet. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists audit_log_of_action`.execute(db);
  await sql`create index concurrently audit_log_of_action on audit_log (action, date desc, id desc)`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists audit_log_of_action`.execute(db);
}

export const outsideTransaction = true;
