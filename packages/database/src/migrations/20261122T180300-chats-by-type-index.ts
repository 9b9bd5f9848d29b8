import { type Kysely, sql } from 'kysely';

export const outsideTransaction = true;

/** For a bot's groups or channels, which are few among many private chats. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists chats_type`.execute(db);
  await sql`
    create index concurrently chats_type on chats (bot_id, type, id)`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists chats_type`.execute(db);
}
