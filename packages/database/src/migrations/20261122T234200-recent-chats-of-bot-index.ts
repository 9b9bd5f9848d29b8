import { type Kysely, sql } from 'kysely';

export const outsideTransaction = true;

/** For the chats of one bot or a few, the last message first. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists chats_recent_of_bot`.execute(db);
  await sql`
    create index concurrently chats_recent_of_bot on chats (bot_id, last_period desc nulls last)`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists chats_recent_of_bot`.execute(db);
}
