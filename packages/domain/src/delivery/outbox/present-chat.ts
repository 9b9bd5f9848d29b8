import { type RawBuilder, sql } from 'kysely';

/** The id that a chat of an entry of `outbox` has now: a group may have become a supergroup. */
export function supergroupOf(chatId: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`coalesce((
    select migrated_to_chat_id from chats where chats.bot_id = outbox.bot_id and chats.id = ${chatId}), ${chatId})`;
}
