import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { Tables } from '@flotilla/database/tables.ts';
import { GENERAL_TOPIC } from '@flotilla/telegram/message-topic.ts';
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { shownSince } from '../../fleet/bots/deletion-store.ts';
import type { MessagePosition } from '../history/find-message-position.ts';
import { placeIn } from '../history/message-place.ts';
import { MESSAGE_COLUMNS, type MessageRow } from '../history/message-row.ts';

export type Message = MessageRow;

const COUNTED_ROW_BY_ROW = 10_000;
const PLACE = placeIn('messages');

/** The position of a message in its chat. Messages before it are older. */
export type MessageCursor = MessagePosition;

/** Filters of messages. Undefined ones match all. */
export interface MessageFilter {
  media_type?: string | undefined;
  user_id?: number | undefined;
  /** '' is none. */
  business_connection_id?: string | undefined;
  /** A topic; 0: what is in none, or in General. */
  thread_id?: number | undefined;
  /** Unix seconds, both included. */
  fromS?: number | undefined;
  toS?: number | undefined;
  /** Only what the bot has sent, or only what it has not. */
  outgoing?: boolean | undefined;
}

export interface MessageShown {
  include_deleted: boolean;
  filter?: MessageFilter;
}

export interface MessageQuery extends MessageShown {
  limit: number;
  offset: number;
  /** The last message of the previous page. */
  before: MessageCursor | null;
  /** Lists the message at `before`, too. [false] */
  included?: boolean;
}

type Rows<Columns> = SelectQueryBuilder<Tables, 'messages', Columns>;

/** SQL of messages, for reading. */
export function messageStore(db: Database) {
  return {
    /** Newest first: by date, then by the place in that second, which the id of a message tells. */
    list(chat: ChatOfBot, query: MessageQuery): Promise<Message[]> {
      return listStatement(db, chat, query).execute();
    },

    /** The medium of a message; null for a text and for a message that is not stored. */
    async mediaTypeOf(chat: ChatOfBot, id: number, connection: string): Promise<string | null> {
      const row = await messagesOf(db, chat, {})
        .select('media_type')
        .where('id', '=', id)
        .where('business_connection_id', '=', connection)
        .executeTakeFirst();
      return row?.media_type ?? null;
    },

    /** True if a message of this author is stored, deleted ones too. */
    async hasAuthor(chat: ChatOfBot, user_id: number): Promise<boolean> {
      const messages = messagesOf(db, chat, { user_id }).select('id').orderBy('date', 'desc').orderBy('id', 'desc');
      return (await messages.limit(1).executeTakeFirst()) !== undefined;
    },

    /** The messages right after a position, oldest first. */
    listAfter(
      chat: ChatOfBot,
      { after, limit, ...shown }: MessageShown & { after: MessageCursor; limit: number },
    ): Promise<Message[]> {
      return shownOf(db, chat, shown)
        .select(MESSAGE_COLUMNS)
        .where('date', '>=', after[0])
        .where(isFrom('>', after))
        .orderBy('date')
        .orderBy(PLACE)
        .orderBy('id')
        .orderBy('business_connection_id')
        .limit(limit)
        .execute();
    },

    /** With deleted messages it counts rows. Without them, a large chat's own row gives the count. */
    async count(chat: ChatOfBot, { include_deleted, filter = {} }: MessageShown): Promise<number> {
      if (include_deleted) return countRows(db, messagesOf(db, chat, filter).select('id'));
      if (!isEmpty(filter)) return (await countStatement(db, chat, filter).executeTakeFirstOrThrow()).count;
      const row = await db
        .selectFrom('chats')
        .select('message_count')
        .where('bot_id', '=', chat.bot_id)
        .where('id', '=', chat.chat_id)
        .executeTakeFirst();
      if (row !== undefined && row.message_count > COUNTED_ROW_BY_ROW) return row.message_count;
      // Ordered like an index. Otherwise the query would read all rows of a chat that is being emptied.
      const newest = withoutDeleted(messagesOf(db, chat, filter))
        .select('id')
        .orderBy('date', 'desc')
        .orderBy('id', 'desc');
      return countRows(db, newest.limit(COUNTED_ROW_BY_ROW + 1));
    },
  };
}

export function listStatement(db: Database, chat: ChatOfBot, query: MessageQuery): Rows<Message> {
  const messages = shownOf(db, chat, query)
    .select(MESSAGE_COLUMNS)
    .orderBy('date', 'desc')
    .orderBy(PLACE, 'desc')
    .orderBy('id', 'desc')
    .orderBy('business_connection_id', 'desc')
    .limit(query.limit)
    .offset(query.offset);
  if (query.before === null) return messages;
  return messages.where(notAfter(query.before[0])).where(isFrom(query.included === true ? '<=' : '<', query.before));
}

/**
 * Tells Postgres which partitions to leave out, which it does not find in a comparison of rows. A plain `<=` beside shownSince would
 * let it expect one row of two hundred, and sort the whole chat.
 */
export function notAfter(date: number): RawBuilder<boolean> {
  return sql<boolean>`date <= any (array[${date}::bigint])`;
}

function isFrom(side: '>' | '<' | '<=', [date, place, id, connection]: MessageCursor): RawBuilder<boolean> {
  return sql<boolean>`(date, ${PLACE}, id, business_connection_id) ${sql.raw(side)}
    (${date}::bigint, ${place}::bigint, ${id}::bigint, ${connection}::text)`;
}

function shownOf(db: Database, chat: ChatOfBot, { include_deleted, filter = {} }: MessageShown): Rows<object> {
  const all = messagesOf(db, chat, filter);
  return include_deleted ? all : withoutDeleted(all);
}

/** Counts the messages that match a filter, without deleted ones, from indexes alone. */
export function countStatement(db: Database, chat: ChatOfBot, filter: MessageFilter) {
  const countOf = (rows: Rows<object>) => rows.select((row) => row.fn.countAll<number>().as('count'));
  const all = countOf(messagesOf(db, chat, filter));
  const deleted = countOf(messagesOf(db, chat, filter).where('deleted_at', 'is not', null));
  return db.selectNoFrom(sql<number>`(${all}) - (${deleted})`.as('count'));
}

function messagesOf(db: Database, chat: ChatOfBot, filter: MessageFilter): Rows<object> {
  const { media_type, user_id, business_connection_id, thread_id, fromS, toS, outgoing } = filter;
  let messages = db
    .selectFrom('messages')
    .where('bot_id', '=', chat.bot_id)
    .where('chat_id', '=', chat.chat_id)
    .where('date', '>=', shownSince(chat));
  if (media_type !== undefined) messages = messages.where('media_type', '=', media_type);
  if (user_id !== undefined) messages = messages.where('user_id', '=', user_id);
  if (business_connection_id !== undefined) {
    messages = messages.where('business_connection_id', '=', business_connection_id);
  }
  if (thread_id !== undefined) messages = messages.where(isInThread(thread_id));
  if (fromS !== undefined) messages = messages.where('date', '>=', fromS);
  if (toS !== undefined) messages = messages.where('date', '<=', toS);
  if (outgoing !== undefined) messages = messages.where('outgoing', '=', outgoing);
  return messages;
}

/** The condition that messages are in a topic; 0: in none, or in General, which private chats do not have. */
export function isInThread(threadId: number): RawBuilder<boolean> {
  if (threadId !== 0) return sql<boolean>`thread_id = ${threadId}`;
  return sql<boolean>`(thread_id is null or thread_id = ${sql.lit(GENERAL_TOPIC)} and chat_id < 0)`;
}

function withoutDeleted<Columns>(messages: Rows<Columns>): Rows<Columns> {
  return messages.where('deleted_at', 'is', null);
}

function isEmpty(filter: MessageFilter): boolean {
  return Object.values(filter).every((wanted) => wanted === undefined);
}

async function countRows(db: Database, rows: Rows<{ id: number }>): Promise<number> {
  const counted = db.selectFrom(rows.as('counted')).select((row) => row.fn.countAll<number>().as('count'));
  return (await counted.executeTakeFirstOrThrow()).count;
}
