import type { Database } from '@flotilla/database/connect.ts';
import type { Tables } from '@flotilla/database/tables.ts';
import type { SelectQueryBuilder } from 'kysely';
import { MESSAGE_COLUMNS, type MessageRow } from '../history/message-row.ts';
import { shownSince } from '../retention/deletion-store.ts';

export type Message = MessageRow;

const COUNTED_ROW_BY_ROW = 10_000;

export interface ChatOfBot {
  botId: number;
  chatId: number;
}

/** The place of a message in its chat: what is before it is older. */
export type MessageCursor = readonly [date: number, id: number, businessConnectionId: string];

export interface MessageQuery {
  limit: number;
  offset: number;
  /** The last message of the page before. */
  before: MessageCursor | null;
  includeDeleted: boolean;
}

/** SQL of messages, for reading. */
export function messageStore(db: Database) {
  const messagesOf = (chat: ChatOfBot, includeDeleted: boolean) => {
    const messages = db
      .selectFrom('messages')
      .where('bot_id', '=', chat.botId)
      .where('chat_id', '=', chat.chatId)
      .where('date', '>=', shownSince(chat));
    return includeDeleted ? messages : messages.where('deleted_at', 'is', null);
  };
  const countRows = async (rows: SelectQueryBuilder<Tables, 'messages', { id: number }>): Promise<number> => {
    const counted = db.selectFrom(rows.as('counted')).select((row) => row.fn.countAll<number>().as('count'));
    return (await counted.executeTakeFirstOrThrow()).count;
  };
  return {
    /** Newest first: by date, then by id, which is a counter of its chat. */
    list(chat: ChatOfBot, query: MessageQuery): Promise<Message[]> {
      let messages = messagesOf(chat, query.includeDeleted)
        .select(MESSAGE_COLUMNS)
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

    /** With deleted ones all are counted; without them, in a large chat what its row says is taken. */
    async count(chat: ChatOfBot, includeDeleted: boolean): Promise<number> {
      if (includeDeleted) return countRows(messagesOf(chat, true).select('id'));
      const row = await db
        .selectFrom('chats')
        .select('message_count')
        .where('bot_id', '=', chat.botId)
        .where('id', '=', chat.chatId)
        .executeTakeFirst();
      if (row !== undefined && row.message_count > COUNTED_ROW_BY_ROW) return row.message_count;
      // In the order of an index, or rows of a chat that is being emptied would all be read.
      const newest = messagesOf(chat, false).select('id').orderBy('date', 'desc').orderBy('id', 'desc');
      return countRows(newest.limit(COUNTED_ROW_BY_ROW + 1));
    },
  };
}
