import { type Kysely, sql } from 'kysely';

export const outsideTransaction = true;

/** For the messages of one user in a chat, newest first. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists messages_author`.execute(db);
  await sql`
    create index concurrently messages_author on messages (bot_id, chat_id, user_id, date desc, id desc)
    where user_id is not null`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists messages_author`.execute(db);
}
