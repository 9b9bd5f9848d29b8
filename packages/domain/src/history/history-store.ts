import type { Database } from '@flotilla/database/connect.ts';
import { searchColumn } from '@flotilla/database/search-query.ts';
import { type RawBuilder, sql } from 'kysely';
import type { DeadLetterRow } from './dead-letter-rows.ts';
import type { HistoryBot } from './history-effect.ts';
import type {
  FoldedAudit,
  FoldedAuthor,
  FoldedChat,
  FoldedDeletion,
  FoldedMessage,
  FoldedMigration,
} from './history-fold.ts';

/** A column of a set of rows handed over as one array: its type and what each row has there. */
type Column<Row> = [type: string, read: (row: Row) => unknown];

/** A chat with the number of messages it gained. */
export type CountedChat = FoldedChat & { added: number };

export interface ChatCount {
  botId: number;
  chatId: number;
  count: number;
}

// One parameter a column, whatever the number of rows: the statement's text, and so its plan, stays the same.
function unnestRows<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): RawBuilder<unknown> {
  const arrays = columns.map(([type, read]) => sql`${rows.map(read)}::${sql.raw(type)}[]`);
  return sql`unnest(${sql.join(arrays)})`;
}

const MESSAGE_COLUMNS: Column<FoldedMessage>[] = [
  ['bigint', (row) => row.bot_id],
  ['text', (row) => row.business_connection_id],
  ['bigint', (row) => row.chat_id],
  ['bigint', (row) => row.id],
  ['bigint', (row) => row.user_id],
  ['text', (row) => row.username],
  ['text', (row) => row.first_name],
  ['text', (row) => row.last_name],
  ['text', (row) => row.text],
  ['bigint', (row) => row.date],
  ['text', (row) => row.media_type],
  ['text', (row) => row.file_id],
  ['bigint', (row) => row.reply_to_message_id],
  ['bigint', (row) => row.edit_date],
  ['boolean', (row) => row.outgoing],
  ['text', searchColumn],
];

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
// The end of Date; Postgres goes further.
const LAST_DATE_S = 8.64e12;

const AUDIT_COLUMNS: Column<FoldedAudit>[] = [
  ['bigint', (audit) => audit.botId],
  ['bigint', (audit) => audit.chatId],
  ['text', (audit) => audit.action],
  ['bigint', (audit) => audit.targetId],
  ['text', (audit) => audit.details],
  ['bigint', (audit) => audit.dateS],
  ['text', (audit) => audit.captureKey],
  ['bigint', (audit) => audit.account?.id ?? null],
  ['text', (audit) => audit.account?.username ?? null],
];

const DELETION_COLUMNS: Column<FoldedDeletion>[] = [
  ['bigint', (deletion) => deletion.botId],
  ['text', (deletion) => deletion.businessConnectionId],
  ['bigint', (deletion) => deletion.chatId],
  ['bigint', (deletion) => deletion.id],
  ['timestamptz', (deletion) => new Date(deletion.atMs)],
];

/** The statements of the history writer, each for many rows; `db` may be a transaction. */
export function historyStore(db: Database) {
  return {
    /** The bots among these ids, which nobody can delete before the transaction ends. */
    async lockBots(ids: number[]): Promise<Map<number, HistoryBot>> {
      const { rows } = await sql<HistoryBot>`
        select id, telegram_id as "telegramId", name, username, generation, manage_enabled as "manageEnabled"
        from bots where id = any(${ids}::bigint[]) order by id for key share`.execute(db);
      return new Map(rows.map((bot) => [bot.id, bot]));
    },

    /** Messages outside business connections, by bot, chat and id. */
    async findMessages(keys: { botId: number; chatId: number; id: number }[]): Promise<FoldedMessage[]> {
      const wanted = unnestRows(keys, [
        ['bigint', (key) => key.botId],
        ['bigint', (key) => key.chatId],
        ['bigint', (key) => key.id],
      ]);
      const { rows } = await sql<FoldedMessage>`
        select m.bot_id, m.business_connection_id, m.chat_id, m.id, m.user_id, m.username, m.first_name, m.last_name,
          m.text, m.date, m.media_type, m.file_id, m.reply_to_message_id, m.edit_date, m.outgoing
        from ${wanted} as wanted (bot_id, chat_id, id)
        join messages m on m.bot_id = wanted.bot_id and m.business_connection_id = ''
          and m.chat_id = wanted.chat_id and m.id = wanted.id`.execute(db);
      return rows;
    },

    /** The chats that have these names ('@name', lower case); of several with one name the one seen last. */
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

    /** Adds or updates the messages (rules: mergeMessage); returns how many are new, by chat. */
    async upsertMessages(messages: FoldedMessage[]): Promise<ChatCount[]> {
      const { rows } = await sql<ChatCount>`
        with written as (
          insert into messages (bot_id, business_connection_id, chat_id, id, user_id, username, first_name, last_name,
            text, date, media_type, file_id, reply_to_message_id, edit_date, outgoing, search)
          select bot_id, business_connection_id, chat_id, id, user_id, username, first_name, last_name,
            text, date, media_type, file_id, reply_to_message_id, edit_date, outgoing, search::tsvector
          from ${unnestRows(messages, MESSAGE_COLUMNS)} as m (bot_id, business_connection_id, chat_id, id, user_id,
            username, first_name, last_name, text, date, media_type, file_id, reply_to_message_id, edit_date, outgoing,
            search)
          on conflict (bot_id, business_connection_id, chat_id, id) do update set
            text = case when ${NEWER} then excluded.text else messages.text end,
            search = case when ${NEWER} then excluded.search else messages.search end,
            date = case when ${NEWER} then excluded.date else messages.date end,
            media_type = case when ${NEWER} then excluded.media_type else messages.media_type end,
            file_id = case when ${NEWER} then excluded.file_id else messages.file_id end,
            edit_date = case when ${NEWER} then excluded.edit_date else messages.edit_date end,
            outgoing = messages.outgoing or excluded.outgoing
          where ${NEWER} or (excluded.outgoing and not messages.outgoing)
          returning bot_id, chat_id, xmax = 0 as inserted
        )
        select bot_id as "botId", chat_id as "chatId", count(*) as count
        from written where inserted group by bot_id, chat_id`.execute(db);
      return rows;
    },

    /** Marks messages deleted, once; returns how many were marked now, by chat. */
    async markDeleted(deletions: FoldedDeletion[]): Promise<ChatCount[]> {
      const { rows } = await sql<ChatCount>`
        with marked as (
          update messages m set deleted_at = gone.at
          from ${unnestRows(deletions, DELETION_COLUMNS)} as gone (bot_id, business_connection_id, chat_id, id, at)
          where m.bot_id = gone.bot_id and m.business_connection_id = gone.business_connection_id
            and m.chat_id = gone.chat_id and m.id = gone.id and m.deleted_at is null
          returning m.bot_id, m.chat_id
        )
        select bot_id as "botId", chat_id as "chatId", count(*) as count
        from marked group by bot_id, chat_id`.execute(db);
      return rows;
    },

    /** Brings chats and their counts up to date; a chat of which nothing changes is not written. */
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

    /** As upsertChats for chats of which little is known: what a row says already is left alone. */
    async upsertGuessedChats(chats: CountedChat[]): Promise<void> {
      await sql`
        insert into chats (bot_id, id, type, title, username, first_name, last_name, message_count)
        select ${CHAT_FIELDS}, added
        from ${unnestRows(chats, CHAT_COLUMNS)} as c (${CHAT_FIELDS}, added)
        on conflict (bot_id, id) do update set
          message_count = chats.message_count + excluded.message_count, updated_at = now()
        where excluded.message_count <> 0`.execute(db);
    },

    /** Takes deleted messages off the counts of their chats. */
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

    /** The chats of messages that are known by connection and id alone. */
    async findBusinessChats(deletions: FoldedDeletion[]): Promise<FoldedDeletion[]> {
      const { rows } = await sql<{ botId: number; businessConnectionId: string; chatId: number; id: number; at: Date }>`
        select m.bot_id as "botId", m.business_connection_id as "businessConnectionId", m.chat_id as "chatId", m.id,
          gone.at
        from ${unnestRows(deletions, DELETION_COLUMNS)} as gone (bot_id, business_connection_id, chat_id, id, at)
        join messages m on m.bot_id = gone.bot_id and m.business_connection_id = gone.business_connection_id
          and m.id = gone.id`.execute(db);
      return rows.map(({ at, ...row }) => ({ ...row, atMs: at.getTime() }));
    },

    /** Names as they were in the newest message; when an author was last seen is kept to the minute. */
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

    /** What is about people follows a group that became a supergroup; its messages keep the ids they had there. */
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

    /** Appends what bots did, or accounts through them; a call that was recorded before is not added again. */
    async insertAudits(audits: FoldedAudit[]): Promise<void> {
      await sql`
        insert into audit_log (bot_id, chat_id, action, actor_kind, actor_id, actor_username, target_id,
          target_username, details, date, capture_key)
        select a.bot_id, a.chat_id, a.action, case when a.account_id is null then 'bot' else 'account' end,
          coalesce(a.account_id, b.id), case when a.account_id is null then nullif(b.username, '') else a.account end,
          a.target_id, u.username, a.details, a.date, a.capture_key
        from ${unnestRows(audits, AUDIT_COLUMNS)} with ordinality
          as a (bot_id, chat_id, action, target_id, details, date, capture_key, account_id, account, position)
        join bots b on b.id = a.bot_id
        left join chat_users u on u.bot_id = a.bot_id and u.chat_id = a.chat_id and u.user_id = a.target_id
        order by a.position
        on conflict (capture_key) do nothing`.execute(db);
    },

    async insertDeadLetters(rows: DeadLetterRow[]): Promise<void> {
      await db
        .insertInto('dead_letters')
        .values(rows)
        .onConflict((conflict) => conflict.column('capture_key').doNothing())
        .execute();
    },
  };
}

const NEWER = sql`excluded.edit_date >= coalesce(messages.edit_date, 0)`;
