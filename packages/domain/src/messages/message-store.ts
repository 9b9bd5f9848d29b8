import type { Database } from '@flotilla/database/connect.ts';
import type { MessagesTable } from '@flotilla/database/tables.ts';
import type { Selectable } from 'kysely';

export type Message = Selectable<MessagesTable>;

/** All but the search column, which is only looked in. */
const COLUMNS = [
  'bot_id',
  'business_connection_id',
  'chat_id',
  'id',
  'user_id',
  'username',
  'first_name',
  'last_name',
  'text',
  'date',
  'media_type',
  'file_id',
  'reply_to_message_id',
  'edit_date',
  'deleted_at',
  'outgoing',
] as const;

export interface ChatOfBot {
  botId: number;
  chatId: number;
}

export interface MessageQuery {
  limit: number;
  offset: number;
  /** Date, id and business connection of the last message of the page before. */
  before: readonly [date: number, id: number, connection: string] | null;
  includeDeleted: boolean;
}

/** SQL of messages, for reading. */
export function messageStore(db: Database) {
  const messagesOf = ({ botId, chatId }: ChatOfBot, includeDeleted: boolean) => {
    const messages = db.selectFrom('messages').where('bot_id', '=', botId).where('chat_id', '=', chatId);
    return includeDeleted ? messages : messages.where('deleted_at', 'is', null);
  };
  return {
    /** Newest first: by date, then by id, which is a counter of its chat. */
    list(chat: ChatOfBot, query: MessageQuery): Promise<Message[]> {
      let messages = messagesOf(chat, query.includeDeleted)
        .select(COLUMNS)
        .orderBy('date', 'desc')
        .orderBy('id', 'desc')
        .orderBy('business_connection_id', 'desc')
        .limit(query.limit)
        .offset(query.offset);
      if (query.before !== null) {
        const [date, id, connection] = query.before;
        messages = messages.where((row) =>
          row(row.refTuple('date', 'id', 'business_connection_id'), '<', row.tuple(date, id, connection)),
        );
      }
      return messages.execute();
    },

    async count(chat: ChatOfBot, includeDeleted: boolean): Promise<number> {
      const { count } = await messagesOf(chat, includeDeleted)
        .select((row) => row.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },
  };
}
