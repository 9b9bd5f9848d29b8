import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import type { ChatOfBot } from './stats-store.ts';

/** The last message that was counted. */
export type MessageCursor = readonly [date: number, id: number, businessConnectionId: string];

/** SQL of counting the authors of chats anew. */
export function authorCountStore(db: Database) {
  return {
    /** Chats by key, each with whether its authors are counted. */
    async chatsAfter(from: ChatOfBot | null, limit: number): Promise<(ChatOfBot & { counted: boolean })[]> {
      const { botId, chatId } = from ?? { botId: -1, chatId: 0 };
      const { rows } = await sql<ChatOfBot & { counted: boolean }>`
        select bot_id as "botId", id as "chatId", authors_counted as counted from chats
        where (bot_id, id) > (${botId}::bigint, ${chatId}::bigint)
        order by bot_id, id limit ${limit}`.execute(db);
      return rows;
    },

    async forget(chat: ChatOfBot): Promise<void> {
      await db.deleteFrom('chat_authors').where('bot_id', '=', chat.botId).where('chat_id', '=', chat.chatId).execute();
    },

    /** Adds the authors of the next messages, by date; returns the last of them, null when there was none. */
    async countMessages(chat: ChatOfBot, from: MessageCursor | null, limit: number): Promise<MessageCursor | null> {
      const [date, id, connection] = from ?? [-Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, ''];
      const { rows } = await sql<{ date: number | null; id: number; connection: string }>`
        with page as (
          select user_id, username, first_name, outgoing, deleted_at, date, id, business_connection_id from messages
          where bot_id = ${chat.botId} and chat_id = ${chat.chatId}
            and (date, id) >= (${date}::bigint, ${id}::bigint)
            and (date, id, business_connection_id) > (${date}::bigint, ${id}::bigint, ${connection})
          order by date, id, business_connection_id limit ${limit}
        ), counted as (
          insert into chat_authors as a (bot_id, chat_id, user_id, username, first_name, message_count)
          select ${chat.botId}, ${chat.chatId}, user_id, max(username), max(first_name), count(*) from page
          where user_id is not null and not outgoing and deleted_at is null
          group by user_id order by user_id
          on conflict (bot_id, chat_id, user_id) do update set
            username = coalesce(excluded.username, a.username),
            first_name = coalesce(excluded.first_name, a.first_name),
            message_count = a.message_count + excluded.message_count
        )
        select last.date, last.id, last.business_connection_id as connection
        from (values (1)) as one (row)
        left join (
          select * from page order by date desc, id desc, business_connection_id desc limit 1
        ) as last on true`.execute(db);
      const [row] = rows;
      return row === undefined || row.date === null ? null : [row.date, row.id, row.connection];
    },

    async markCounted(chat: ChatOfBot): Promise<void> {
      await db
        .updateTable('chats')
        .set({ authors_counted: true })
        .where('bot_id', '=', chat.botId)
        .where('id', '=', chat.chatId)
        .execute();
    },
  };
}
