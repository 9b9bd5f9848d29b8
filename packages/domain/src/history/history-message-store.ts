import type { Database } from '@flotilla/database/connect.ts';
import { searchColumn } from '@flotilla/database/search-query.ts';
import { sql } from 'kysely';
import type { FoldedDeletion, FoldedMessage } from './history-fold.ts';
import { type Column, unnestRows } from './unnest-rows.ts';

export interface ChatCount {
  botId: number;
  chatId: number;
  count: number;
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

const DELETION_COLUMNS: Column<FoldedDeletion>[] = [
  ['bigint', (deletion) => deletion.botId],
  ['text', (deletion) => deletion.businessConnectionId],
  ['bigint', (deletion) => deletion.chatId],
  ['bigint', (deletion) => deletion.id],
  ['timestamptz', (deletion) => new Date(deletion.atMs)],
];

/** The history writer's statements about messages, each for many rows; `db` may be a transaction. */
export function historyMessageStore(db: Database) {
  return {
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
  };
}

const NEWER = sql`excluded.edit_date >= coalesce(messages.edit_date, 0)`;
