import { type Kysely, sql } from 'kysely';

export const outsideTransaction = true;

/** Counting a filtered list takes these off what the other indexes have, so that no row has to be read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists messages_deleted`.execute(db);
  await sql`
    create index concurrently messages_deleted on messages (bot_id, chat_id, date desc)
    include (user_id, media_type) where deleted_at is not null`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists messages_deleted`.execute(db);
}
