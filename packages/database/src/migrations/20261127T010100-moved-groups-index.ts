import { type Kysely, sql } from 'kysely';

export const outsideTransaction = true;

/** For a bot's groups that became supergroups, which are few among its chats. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists chats_moved`.execute(db);
  await sql`
    create index concurrently chats_moved on chats (bot_id) where migrated_to_chat_id is not null`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists chats_moved`.execute(db);
}
