import type { Database } from '@flotilla/database/connect.ts';
import { periodOf, type SearchQuery, startOfPeriod, tsqueryIn } from '@flotilla/database/search-query.ts';
import { type RawBuilder, sql } from 'kysely';
import { shownSince } from '../../fleet/bots/deletion-store.ts';
import { MESSAGE_COLUMNS } from '../history/message-row.ts';
import {
  type ChatOfBot,
  isInThread,
  type Message,
  type MessageCursor,
  type MessageFilter,
  notAfter,
} from './message-store.ts';

/** The chat to search, and the filter of its messages. */
export interface Searched extends ChatOfBot {
  filter?: MessageFilter;
}

export interface SearchPage {
  limit: number;
  offset: number;
  before: MessageCursor | null;
}

export interface WalkResult {
  messages: Message[];
  /** The number of messages read. It is below the requested number when there are no more. */
  walked: number;
  /** How many of them match, and (`withLast`) how many have the last word. */
  matching: number;
  withLast: number;
  /** The count in the chat's row. */
  chatMessages: number;
  /** Seconds between the newest and the oldest that was read. */
  spanS: number;
}

export interface LookUp {
  enough: number;
  lastIsBroad: boolean;
}

// Newer than any message, so that the search begins at the newest one.
const NOT_YET: MessageCursor = [Number.MAX_SAFE_INTEGER, 0, ''];

const NEWEST_FIRST = sql`order by date desc, id desc, business_connection_id desc`;

/** SQL of searching one chat. Both ways find the same messages. */
export function searchStore(db: Database) {
  return {
    /** Reads the newest messages, at most `rows`, and checks each one. This is fast when most of them match. */
    async walk(chat: Searched, query: SearchQuery, page: SearchPage, rows: number): Promise<WalkResult> {
      const period = periodOf(sql.ref('date'));
      const found = await sql<Message & Omit<WalkResult, 'messages'>>`
        with recent as materialized (
          select ${columns()}, search, ${period} as period from messages
          where bot_id = ${chat.botId} and chat_id = ${chat.chatId} and date >= ${shownSince(chat)}
            and ${isBefore(page.before)} and ${passes(chat.filter)}
          ${NEWEST_FIRST} limit ${rows}
        ), wanted as materialized (
          select period, ${tsqueryIn(chat, sql.ref('period'), query.all)} as everything,
            ${tsqueryIn(chat, sql.ref('period'), query.last)} as last_word
          from (select distinct period from recent) as periods
        ), matching as materialized (
          select recent.* from recent join wanted using (period) where search @@ everything and deleted_at is null
        )
        select (select count(*) from recent) as walked, (select count(*) from matching) as matching,
          (select count(*) from recent join wanted using (period) where search @@ last_word) as "withLast",
          coalesce((select message_count from chats where bot_id = ${chat.botId} and id = ${chat.chatId}), 0)
            as "chatMessages",
          coalesce((select max(date) - min(date) from recent), 0) as "spanS",
          page.*
        from (values (1)) as one (row)
        left join (
          select ${columns()} from matching ${NEWEST_FIRST} limit ${page.limit} offset ${page.offset}
        ) as page on true`.execute(db);
      const [{ walked = 0, matching = 0, withLast = 0, chatMessages = 0, spanS = 0 } = {}] = found.rows;
      return { messages: messagesIn(found.rows), walked, matching, withLast, chatMessages, spanS };
    },

    /** Runs lookUpStatement. `matching` counts up to `enough`. */
    async lookUp(
      chat: Searched,
      query: SearchQuery,
      page: SearchPage,
      how: LookUp,
    ): Promise<{ messages: Message[]; matching: number }> {
      const { rows } = await lookUpStatement(chat, query, page, how).execute(db);
      return { messages: messagesIn(rows), matching: rows[0]?.matching ?? 0 };
    },
  };
}

/**
 * Looks the words up, period by period from the newest, until `enough` messages are found. With `lastIsBroad` it looks
 * up the other words only and checks their messages for the last one.
 */
export function lookUpStatement(
  chat: Searched,
  query: SearchQuery,
  page: SearchPage,
  { enough, lastIsBroad }: LookUp,
): RawBuilder<Message & { matching: number }> {
  return sql`
    with recursive ${periodsOf(chat, page.before)}, matching as materialized (
      select of_period.* from (
        select n, ${tsqueryIn(chat, sql.ref('n'), query.all)} as everything,
          ${tsqueryIn(chat, sql.ref('n'), query.others ?? query.all)} as others,
          ${tsqueryIn(chat, sql.ref('n'), query.last)} as last_word
        from period where n is not null
      ) as wanted
      cross join lateral (
        select ${columns()} from messages
        where ${lastIsBroad ? HAS_OTHERS_THEN_LAST : HAS_EVERYTHING}
          -- Not for an index: whatever the statistics say, it is the words' index that is read.
          and date >= ${startOfPeriod(sql.ref('wanted.n'))} and date < ${startOfPeriod(sql`wanted.n + 1`)}
          and bot_id + 0 = ${chat.botId} and chat_id + 0 = ${chat.chatId}
          and deleted_at is null and date >= ${shownSince(chat)} and ${isBefore(page.before)}
          and (${passes(chat.filter)}) is true
        ${NEWEST_FIRST} limit ${enough}
      ) as of_period
      limit ${enough}
    )
    select (select count(*) from matching) as matching, page.*
    from (values (1)) as one (row)
    left join (
      select ${columns()} from matching ${NEWEST_FIRST} limit ${page.limit} offset ${page.offset}
    ) as page on true`;
}

const HAS_EVERYTHING = sql`search @@ wanted.everything`;
// "is true" keeps the index from being used for the second condition.
const HAS_OTHERS_THEN_LAST = sql`search @@ wanted.others and (search @@ wanted.last_word) is true`;

/** The periods in which the chat has messages, newest first. Each takes one look into the index. */
function periodsOf(chat: Searched, before: MessageCursor | null): RawBuilder<unknown> {
  const newest = (condition: RawBuilder<unknown>) => sql`
    select ${periodOf(sql.ref('date'))} from messages
    where bot_id = ${chat.botId} and chat_id = ${chat.chatId} and date >= ${shownSince(chat)} and ${condition}
      and ${passes(chat.filter)}
    order by date desc limit 1`;
  const [date] = before ?? NOT_YET;
  return sql`period (n) as (
    (${newest(sql`date <= ${date}`)})
    union all
    select (${newest(sql`date < ${startOfPeriod(sql.ref('period.n'))}`)}) from period where n is not null
  )`;
}

function passes({
  userId,
  mediaType,
  businessConnectionId,
  threadId,
  fromS,
  toS,
}: MessageFilter = {}): RawBuilder<unknown> {
  const conditions = [
    userId === undefined ? null : sql`user_id = ${userId}`,
    mediaType === undefined ? null : sql`media_type = ${mediaType}`,
    businessConnectionId === undefined ? null : sql`business_connection_id = ${businessConnectionId}`,
    threadId === undefined ? null : isInThread(threadId),
    fromS === undefined ? null : sql`date >= ${fromS}`,
    toS === undefined ? null : sql`date <= ${toS}`,
  ].filter((condition) => condition !== null);
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}

function isBefore(before: MessageCursor | null): RawBuilder<unknown> {
  const [date, id, connection] = before ?? NOT_YET;
  const bound = before === null ? sql`true` : notAfter(date);
  return sql`${bound} and (date, id, business_connection_id) < (${date}::bigint, ${id}::bigint, ${connection}::text)`;
}

function columns(): RawBuilder<unknown> {
  return sql.join(MESSAGE_COLUMNS.map((column) => sql.ref(column)));
}

// An empty page is one row that has only the counts.
function messagesIn(rows: (Message & Record<string, unknown>)[]): Message[] {
  return rows
    .filter((row) => row.id !== null)
    .map((row) => Object.fromEntries(MESSAGE_COLUMNS.map((column) => [column, row[column]])) as unknown as Message);
}
