import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import type { FoldedAuthor, FoldedChat, FoldedMigration } from './effects/history-fold.ts';
import type { ChatCount } from './history-message-store.ts';
import { type Column, unnestRows } from './unnest-rows.ts';

/** A chat with the number of messages it gained. */
export type CountedChat = FoldedChat & { added: number };

const CHAT_COLUMNS: Column<CountedChat>[] = [
  ['bigint', (chat) => chat.botId],
  ['bigint', (chat) => chat.id],
  ['text', (chat) => chat.type],
  ['text', (chat) => chat.title],
  ['text', (chat) => chat.username],
  ['text', (chat) => chat.firstName],
  ['text', (chat) => chat.lastName],
  ['bigint', (chat) => chat.added],
];
const CHAT_FIELDS = sql`bot_id, id, type, title, username, first_name, last_name`;

const AUTHOR_COLUMNS: Column<FoldedAuthor>[] = [
  ['bigint', (author) => author.botId],
  ['bigint', (author) => author.chatId],
  ['bigint', (author) => author.id],
  ['text', (author) => author.username],
  ['text', (author) => author.firstName],
  ['text', (author) => author.lastName],
  ['boolean', (author) => author.isBot],
  ['timestamptz', (author) => new Date(Math.max(Math.min(author.seenAtS, LAST_DATE_S), 0) * 1000)],
];
// The last second that Date can hold; Postgres goes further.
const LAST_DATE_S = 8.64e12;

/** The history writer's statements about chats and the people in them, each for many rows; `db` may be a transaction. */
export function historyChatStore(db: Database) {
  return {
    /** The chats with these names ('@name', lower case), the one that was seen last at the end. */
    async findChatNames(
      names: { botId: number; name: string }[],
    ): Promise<{ botId: number; name: string; id: number }[]> {
      const wanted = unnestRows(names, [
        ['bigint', ({ botId }) => botId],
        ['text', ({ name }) => name.slice(1)],
      ]);
      const { rows } = await sql<{ botId: number; name: string; id: number }>`
        select c.bot_id as "botId", '@' || wanted.name as name, c.id
        from ${wanted} as wanted (bot_id, name)
        join chats c on c.bot_id = wanted.bot_id and lower(c.username) = wanted.name
        order by c.updated_at`.execute(db);
      return rows;
    },

    /** Updates chats and their counts; an unchanged chat is not written. */
    async upsertChats(chats: CountedChat[]): Promise<void> {
      await sql`
        insert into chats (bot_id, id, type, title, username, first_name, last_name, message_count)
        select c.bot_id, c.id, c.type, c.title, c.username, c.first_name, c.last_name, c.added
        from ${unnestRows(chats, CHAT_COLUMNS)} as c (${CHAT_FIELDS}, added)
        where c.added <> 0 or not exists (
          select from chats there where there.bot_id = c.bot_id and there.id = c.id
            and (there.type, there.title, there.username, there.first_name, there.last_name)
              is not distinct from (c.type, c.title, c.username, c.first_name, c.last_name))
        on conflict (bot_id, id) do update set
          type = excluded.type, title = excluded.title, username = excluded.username,
          first_name = excluded.first_name, last_name = excluded.last_name,
          message_count = chats.message_count + excluded.message_count, updated_at = now()`.execute(db);
    },

    /** Like upsertChats, for chats of which little is known: only the count of an existing row changes. */
    async upsertGuessedChats(chats: CountedChat[]): Promise<void> {
      await sql`
        insert into chats (bot_id, id, type, title, username, first_name, last_name, message_count)
        select ${CHAT_FIELDS}, added
        from ${unnestRows(chats, CHAT_COLUMNS)} as c (${CHAT_FIELDS}, added)
        on conflict (bot_id, id) do update set
          message_count = chats.message_count + excluded.message_count, updated_at = now()
        where excluded.message_count <> 0`.execute(db);
    },

    /** Subtracts deleted messages from the counts of their chats. */
    async subtractCounts(counts: ChatCount[]): Promise<void> {
      const columns: Column<ChatCount>[] = [
        ['bigint', (count) => count.botId],
        ['bigint', (count) => count.chatId],
        ['bigint', (count) => count.count],
      ];
      await sql`
        update chats set message_count = greatest(message_count - c.removed, 0), updated_at = now()
        from ${unnestRows(counts, columns)} as c (bot_id, id, removed)
        where chats.bot_id = c.bot_id and chats.id = c.id`.execute(db);
    },

    /** Stores names as they were in the newest message. When an author was last seen is exact to the minute. */
    async upsertAuthors(authors: FoldedAuthor[]): Promise<void> {
      await sql`
        insert into chat_users (bot_id, chat_id, user_id, username, first_name, last_name, is_bot, last_seen_at)
        select * from ${unnestRows(authors, AUTHOR_COLUMNS)}
          as a (bot_id, chat_id, user_id, username, first_name, last_name, is_bot, seen_at)
        where not exists (
          select from chat_users u where u.bot_id = a.bot_id and u.chat_id = a.chat_id and u.user_id = a.user_id
            and u.last_seen_at > a.seen_at - interval '1 minute'
            and (u.username, u.first_name, u.last_name, u.is_bot)
              is not distinct from (a.username, a.first_name, a.last_name, a.is_bot))
        on conflict (bot_id, chat_id, user_id) do update set
          username = excluded.username, first_name = excluded.first_name, last_name = excluded.last_name,
          is_bot = excluded.is_bot, last_seen_at = excluded.last_seen_at
        where excluded.last_seen_at >= chat_users.last_seen_at`.execute(db);
    },

    /** People and tags follow a group that became a supergroup; messages stay where they are. */
    async migrateChat({ botId, fromChatId, toChatId }: FoldedMigration): Promise<void> {
      await sql`
        insert into chat_users (bot_id, chat_id, user_id, username, first_name, last_name, is_bot, last_seen_at)
        select bot_id, ${toChatId}, user_id, username, first_name, last_name, is_bot, last_seen_at
        from chat_users where bot_id = ${botId} and chat_id = ${fromChatId}
        on conflict (bot_id, chat_id, user_id) do nothing`.execute(db);
      await sql`
        update tags set chat_id = ${toChatId}
        where bot_id = ${botId} and chat_id = ${fromChatId} and not exists (
          select from tags there where there.bot_id = tags.bot_id and there.chat_id = ${toChatId}
            and there.user_id = tags.user_id and there.tag = tags.tag)`.execute(db);
    },
  };
}
