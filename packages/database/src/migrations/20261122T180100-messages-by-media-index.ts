import { type Kysely, sql } from 'kysely';

export const outsideTransaction = true;

/** For a chat's messages of one media type, newest first, and for counting those of one user. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists messages_media`.execute(db);
  await sql`
    create index concurrently messages_media on messages (bot_id, chat_id, media_type, date desc, id desc)
    include (user_id) where media_type is not null`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists messages_media`.execute(db);
}
