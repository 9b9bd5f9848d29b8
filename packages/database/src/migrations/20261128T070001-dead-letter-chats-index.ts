import { type Kysely, sql } from 'kysely';

export const outsideTransaction = true;

/** For the dead letters of some chats, newest first. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists dead_letters_chat`.execute(db);
  await sql`create index concurrently dead_letters_chat on dead_letters (bot_id, chat_id, id desc)`.execute(db);
}
