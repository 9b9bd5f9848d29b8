import { chatSearchName } from '@flotilla/database/chat-search-name.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { peopleColumn } from '@flotilla/database/search-query.ts';
import { type RawBuilder, sql } from 'kysely';
import type { FoldedAuthor, FoldedChat } from './effects/history-fold.ts';
import type { ChatCount, WrittenToChat } from './history-message-store.ts';
import { type Column, unnestRows } from './unnest-rows.ts';

/**
 * A chat with the number of messages it gained and the highest id of them, through business connections too, and the newest of those
 * that the bot itself got or sent.
 */
export type CountedChat = FoldedChat & { added: number; last_id: number; newest: NewestOfChat | null };
export type NewestOfChat = Pick<
  WrittenToChat,
  'last_date' | 'last_incoming_date' | 'last_incoming_id' | 'last_answer_date' | 'last_answer_id'
>;

/** 1024 s. A shorter period makes more updates touch indexes; of a longer one, more chats are sorted for a page. */
export const LAST_PERIOD_BITS = 10;

const CHAT_COLUMNS: Column<CountedChat>[] = [
  ['bigint', (chat) => chat.bot_id],
  ['bigint', (chat) => chat.id],
  ['text', (chat) => chat.type],
  ['text', (chat) => chat.title],
  ['text', (chat) => chat.username],
  ['text', (chat) => chat.first_name],
  ['text', (chat) => chat.last_name],
  ['bigint', (chat) => chat.added],
  ['text', chatSearchName],
  ['boolean', (chat) => chat.direct],
  ['bigint', (chat) => chat.last_id],
  ['bigint', (chat) => chat.newest?.last_date ?? 0],
  ['bigint', (chat) => chat.newest?.last_incoming_date ?? null],
  ['bigint', (chat) => chat.newest?.last_incoming_id ?? null],
  ['bigint', (chat) => chat.newest?.last_answer_date ?? null],
  ['bigint', (chat) => chat.newest?.last_answer_id ?? null],
];
const CHAT_FIELDS = sql`bot_id, id, type, title, username, first_name, last_name`;
const NEWEST_FIELDS = sql`last_id, last_date, last_incoming_date, last_incoming_id, last_answer_date, last_answer_id`;
// Who writes has not blocked the bot. Messages from before, which are stored late, say nothing.
const WRITES_AGAIN = sql`chats.blocked_at is not null
  and excluded.last_incoming_date >= floor(extract(epoch from chats.blocked_at))`;
const TAKE_NEWEST = sql`
  direct = case when excluded.direct and not chats.direct then true else chats.direct end,
  blocked_at = case when ${WRITES_AGAIN} then null else chats.blocked_at end,
  last_id = greatest(chats.last_id, excluded.last_id),
  last_period = greatest(chats.last_period, excluded.last_period),
  last_date = greatest(chats.last_date, excluded.last_date),
  ${takeNewer('chats', 'last_incoming')}, ${takeNewer('chats', 'last_answer')}`;
const PERIOD = sql`c.last_date >> ${sql.lit(LAST_PERIOD_BITS)}`;

const AUTHOR_COLUMNS: Column<FoldedAuthor>[] = [
  ['bigint', (author) => author.bot_id],
  ['bigint', (author) => author.chat_id],
  ['bigint', (author) => author.id],
  ['text', (author) => author.username],
  ['text', (author) => author.first_name],
  ['text', (author) => author.last_name],
  ['boolean', (author) => author.is_bot],
  ['timestamptz', (author) => new Date(Math.max(Math.min(author.seenAtS, LAST_DATE_S), 0) * 1000)],
  ['text', peopleColumn],
  ['text', (author) => author.language_code?.slice(0, LONGEST_LANGUAGE) ?? null],
];
// The last second that Date can hold; Postgres goes further.
const LAST_DATE_S = 8.64e12;
/** Of an IETF tag. */
const LONGEST_LANGUAGE = 35;

/**
 * The history writer's statements about chats and the people in them, each for many rows, which it takes out of their
 * array; `db` may be a transaction.
 */
export function historyChatStore(db: Database) {
  return {
    /** The chats with these names ('@name', lower case), the one that was seen last at the end. */
    async findChatNames(
      names: { bot_id: number; name: string }[],
    ): Promise<{ bot_id: number; name: string; id: number }[]> {
      const wanted = await unnestRows(names, [
        ['bigint', ({ bot_id }) => bot_id],
        ['text', ({ name }) => name.slice(1)],
      ]);
      const { rows } = await sql<{ bot_id: number; name: string; id: number }>`
        select c.bot_id, '@' || wanted.name as name, c.id
        from ${wanted} as wanted (bot_id, name)
        join chats c on c.bot_id = wanted.bot_id and lower(c.username) = wanted.name
        order by c.updated_at`.execute(db);
      return rows;
    },

    /** Updates chats and their counts; an unchanged chat is not written. */
    async upsertChats(chats: CountedChat[]): Promise<void> {
      const given = await unnestRows(chats, CHAT_COLUMNS);
      await sql`
        insert into chats (${CHAT_FIELDS}, message_count, search_name, direct, ${NEWEST_FIELDS}, last_period)
        select c.*, ${PERIOD}
        from ${given} as c (${CHAT_FIELDS}, added, search_name, direct, ${NEWEST_FIELDS})
        where c.added <> 0 or not exists (
          select from chats there where there.bot_id = c.bot_id and there.id = c.id
            and (there.type, there.title, there.username, there.first_name, there.last_name)
              is not distinct from (c.type, c.title, c.username, c.first_name, c.last_name)
            and there.last_date >= c.last_date and (c.direct is not true or there.direct is distinct from false))
        on conflict (bot_id, id) do update set
          type = excluded.type, title = excluded.title, username = excluded.username,
          first_name = excluded.first_name, last_name = excluded.last_name,
          search_name = excluded.search_name, ${TAKE_NEWEST},
          message_count = chats.message_count + excluded.message_count, updated_at = now()`.execute(db);
    },

    /** Like upsertChats, for chats of which little is known: only the count of an existing row changes. */
    async upsertGuessedChats(chats: CountedChat[]): Promise<void> {
      const given = await unnestRows(chats, CHAT_COLUMNS);
      await sql`
        insert into chats (${CHAT_FIELDS}, message_count, search_name, direct, ${NEWEST_FIELDS}, last_period)
        select c.*, ${PERIOD}
        from ${given} as c (${CHAT_FIELDS}, added, search_name, direct, ${NEWEST_FIELDS})
        on conflict (bot_id, id) do update set
          ${TAKE_NEWEST},
          message_count = chats.message_count + excluded.message_count, updated_at = now()
        where excluded.message_count <> 0 or excluded.last_date > chats.last_date
          or (excluded.direct and not chats.direct)`.execute(db);
    },

    /** Subtracts deleted messages from the counts of their chats. */
    async subtractCounts(counts: ChatCount[]): Promise<void> {
      const columns: Column<ChatCount>[] = [
        ['bigint', (count) => count.bot_id],
        ['bigint', (count) => count.chat_id],
        ['bigint', (count) => count.count],
      ];
      const given = await unnestRows(counts, columns);
      await sql`
        update chats set message_count = greatest(message_count - c.removed, 0), updated_at = now()
        from ${given} as c (bot_id, id, removed)
        where chats.bot_id = c.bot_id and chats.id = c.id`.execute(db);
    },

    /** Stores names as they were in the newest message. When an author was last seen is exact to the minute. */
    async upsertAuthors(authors: FoldedAuthor[]): Promise<void> {
      const given = await unnestRows(authors, AUTHOR_COLUMNS);
      await sql`
        insert into chat_users (bot_id, chat_id, user_id, username, first_name, last_name, is_bot, last_seen_at, search,
          language_code)
        select bot_id, chat_id, user_id, username, first_name, last_name, is_bot, seen_at, search::tsvector, language
        from ${given} as a (bot_id, chat_id, user_id, username, first_name, last_name, is_bot, seen_at, search, language)
        where not exists (
          select from chat_users u where u.bot_id = a.bot_id and u.chat_id = a.chat_id and u.user_id = a.user_id
            and u.last_seen_at > a.seen_at - interval '1 minute'
            and (u.username, u.first_name, u.last_name, u.is_bot, u.language_code) is not distinct from
              (a.username, a.first_name, a.last_name, a.is_bot, coalesce(a.language, u.language_code)))
        on conflict (bot_id, chat_id, user_id) do update set
          username = excluded.username, first_name = excluded.first_name, last_name = excluded.last_name,
          is_bot = excluded.is_bot, last_seen_at = excluded.last_seen_at, search = excluded.search,
          language_code = coalesce(excluded.language_code, chat_users.language_code)
        where excluded.last_seen_at >= chat_users.last_seen_at`.execute(db);
    },
  };
}

/** The later of two positions, each a date and an id. */
export function takeNewer(table: string, position: string): RawBuilder<unknown> {
  const [date, id] = [`${position}_date`, `${position}_id`];
  const [givenDate, givenId] = [sql.ref(`excluded.${date}`), sql.ref(`excluded.${id}`)];
  const [knownDate, knownId] = [sql.ref(`${table}.${date}`), sql.ref(`${table}.${id}`)];
  const isNewer = sql`${givenDate} is not null
    and (${knownDate} is null or (${givenDate}, ${givenId}) > (${knownDate}, ${knownId}))`;
  return sql`${sql.ref(date)} = case when ${isNewer} then ${givenDate} else ${knownDate} end,
    ${sql.ref(id)} = case when ${isNewer} then ${givenId} else ${knownId} end`;
}
