import { type Kysely, sql } from 'kysely';

export const outsideTransaction = true;

/** A count over a filtered list subtracts these from the counts of the other indexes, so it reads no row. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists messages_deleted`.execute(db);
  await sql`
    create index concurrently messages_deleted on messages (bot_id, chat_id, date desc)
    include (user_id, media_type) where deleted_at is not null`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists messages_deleted`.execute(db);
}
