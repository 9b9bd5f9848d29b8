import { type Kysely, sql } from 'kysely';

/** For all entries about one bot, in every chat and in none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists audit_log_of_bot`.execute(db);
  await sql`create index concurrently audit_log_of_bot on audit_log (bot_id, date desc, id desc)`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists audit_log_of_bot`.execute(db);
}

export const outsideTransaction = true;
