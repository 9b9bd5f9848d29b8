import { type Kysely, sql } from 'kysely';

/** For the actions of one account. Actions of bots are found by the bot. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists audit_log_of_actor`.execute(db);
  await sql`create index concurrently audit_log_of_actor on audit_log (actor_id, date desc, id desc) where actor_kind = 'account'`.execute(
    db,
  );
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists audit_log_of_actor`.execute(db);
}

export const outsideTransaction = true;
