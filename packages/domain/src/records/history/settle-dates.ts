import type { Database } from '@flotilla/database/connect.ts';
import { type RawBuilder, sql } from 'kysely';
import { type FoldedMessage, mergeMessage, messageKey } from './effects/history-fold.ts';
import { type Column, unnestRows } from './unnest-rows.ts';

/** A stored row that gave way to another message with its id. */
export interface ReplacedRow {
  bot_id: number;
  business_connection_id: string;
  chat_id: number;
  /** True if it was counted in its chat. */
  shown: boolean;
  /** True if another message took its place, and not an edit of one. */
  isReplaced: boolean;
}

const KEY_COLUMNS: Column<FoldedMessage>[] = [
  ['bigint', (row) => row.bot_id],
  ['text', (row) => row.business_connection_id],
  ['bigint', (row) => row.chat_id],
  ['bigint', (row) => row.id],
  ['bigint', (row) => row.date],
];

/**
 * Sees to it that a message keeps one row although the date is part of the key: brings the stored rows of these messages, and the
 * messages themselves, to one date by the rules of mergeMessage. Returns the messages to upsert, and the rows that gave way.
 */
export async function settleDates(
  db: Database,
  messages: FoldedMessage[],
): Promise<{ messages: FoldedMessage[]; replaced: ReplacedRow[] }> {
  const known = await findUnderOtherDates(db, await withoutNewOnes(db, messages));
  if (known.size === 0) return { messages, replaced: [] };
  const settled: FoldedMessage[] = [];
  const replaced: ReplacedRow[] = [];
  for (const message of messages) {
    const stored = known.get(keyOf(message));
    const merged = stored === undefined ? message : mergeMessage(stored, message);
    settled.push(merged);
    if (stored === undefined || merged.date === stored.date) continue;
    if (message.date > stored.date) replaced.push(...(await remove(db, stored, message)));
    else await changeDate(db, stored, merged.date);
  }
  return { messages: settled, replaced };
}

/** Ids rise within a chat: only edits, late messages, and those without an id of the platform can have a row. */
async function withoutNewOnes(db: Database, messages: FoldedMessage[]): Promise<FoldedMessage[]> {
  const chats = new Map(messages.map(({ bot_id, chat_id }) => [`${bot_id} ${chat_id}`, { bot_id, chat_id }]));
  const given = await unnestRows(
    [...chats.values()],
    [
      ['bigint', ({ bot_id }) => bot_id],
      ['bigint', ({ chat_id }) => chat_id],
    ],
  );
  const { rows } = await sql<{ bot_id: number; chat_id: number; last_id: number }>`
    select c.bot_id, c.id as chat_id, c.last_id
    from ${given} as given (bot_id, id) join chats c on c.bot_id = given.bot_id and c.id = given.id`.execute(db);
  const lastIds = new Map(rows.map(({ bot_id, chat_id, last_id }) => [`${bot_id} ${chat_id}`, last_id]));
  return messages.filter(
    ({ bot_id, chat_id, id, edit_date }) =>
      edit_date !== null || id <= 0 || id <= (lastIds.get(`${bot_id} ${chat_id}`) ?? 0),
  );
}

const isSame = (other: RawBuilder<unknown>) => sql`m.bot_id = ${other}.bot_id
  and m.business_connection_id = ${other}.business_connection_id and m.chat_id = ${other}.chat_id and m.id = ${other}.id`;

// Most of them have a row of the same date: then no other partition is asked.
async function findUnderOtherDates(db: Database, messages: FoldedMessage[]): Promise<Map<string, FoldedMessage>> {
  if (messages.length === 0) return new Map();
  const given = await unnestRows(messages, KEY_COLUMNS);
  const { rows } = await sql<FoldedMessage>`
    with wanted as materialized (
      select given.* from ${given} as given (bot_id, business_connection_id, chat_id, id, date)
      left join lateral (
        select true as found from messages m where ${isSame(sql.raw('given'))} and m.date = given.date limit 1
      ) as same on true
      where same.found is null
    )
    select known.* from wanted cross join lateral (
      select m.bot_id, m.business_connection_id, m.chat_id, m.id, m.user_id, m.username, m.first_name, m.last_name,
        m.text, m.date, m.media_type, m.file_id, m.reply_to_message_id, m.edit_date, m.outgoing, m.service,
        m.details, m.program_id, m.automatic
      from messages m where ${isSame(sql.raw('wanted'))} order by m.date desc limit 1
    ) as known`.execute(db);
  return new Map(rows.map((row) => [keyOf(row), row]));
}

async function remove(db: Database, stored: FoldedMessage, by: FoldedMessage): Promise<ReplacedRow[]> {
  const { rows } = await sql<{ shown: boolean }>`
    delete from messages where ${isRow(stored)} returning deleted_at is null as shown`.execute(db);
  const { bot_id, business_connection_id, chat_id } = stored;
  return rows.map(({ shown }) => ({
    bot_id,
    business_connection_id,
    chat_id,
    shown,
    isReplaced: by.edit_date === null,
  }));
}

async function changeDate(db: Database, stored: FoldedMessage, date: number): Promise<void> {
  await sql`update messages set date = ${date} where ${isRow(stored)}`.execute(db);
}

function isRow({ bot_id, business_connection_id, chat_id, id, date }: FoldedMessage) {
  return sql`bot_id = ${bot_id} and business_connection_id = ${business_connection_id} and chat_id = ${chat_id}
    and id = ${id} and date = ${date}`;
}

function keyOf({ bot_id, business_connection_id, chat_id, id }: FoldedMessage): string {
  return messageKey(bot_id, business_connection_id, chat_id, id);
}
