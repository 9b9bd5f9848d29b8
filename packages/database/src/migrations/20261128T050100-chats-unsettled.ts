import { type Kysely, sql } from 'kysely';

export const outsideTransaction = true;

/** Private chats of which an older release does not say whether the bot's own chat is known. Their number falls to none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists chats_unsettled`.execute(db);
  await sql`
    create index concurrently chats_unsettled on chats (bot_id, id)
      where direct is null and type = 'private'`.execute(db);
}
