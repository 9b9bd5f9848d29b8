import { type Kysely, sql } from 'kysely';

export const outsideTransaction = true;

/** For all chats in which somebody wrote. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists chat_authors_user`.execute(db);
  await sql`create index concurrently chat_authors_user on chat_authors (user_id)`.execute(db);
}
