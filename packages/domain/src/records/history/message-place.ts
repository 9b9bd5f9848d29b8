import type { Database } from '@flotilla/database/connect.ts';
import { type RawBuilder, sql } from 'kysely';
import type { FoldedMessage } from './effects/history-fold.ts';
import { unnestRows } from './unnest-rows.ts';

/** Places between two messages whose ids follow each other: for the events between them, such as presses, of one second. */
const ROOM = 1_024;

/** The place of a message among those of its second. */
export function placeOf({ id, position }: { id: number; position?: number | null }): number {
  return position ?? id * ROOM;
}

/** The id of the message at this place. At that of an event: of the one before it, as unread messages are counted by their ids. */
export function lastMessageAt(place: number): number {
  return Math.floor(place / ROOM);
}

/** The same in SQL. Indexes lead to the second, and only what is in it is sorted. */
export function placeIn(messages: string): RawBuilder<number> {
  const [position, id] = [sql.ref(`${messages}.position`), sql.ref(`${messages}.id`)];
  return sql<number>`coalesce(${position}, ${id} * ${sql.lit(ROOM)})`;
}

/**
 * Gives events their places: right after what came before them in their second, which is the message that was pressed at least.
 * `messages` are in the order in which they came. An answer by the REST interface is stored before its press, so messages of
 * the bot count only if they are in the batch.
 */
export async function placeEvents(db: Database, messages: readonly FoldedMessage[]): Promise<void> {
  const events = messages.filter(({ id }) => id < 0);
  if (events.length === 0) return;
  const last = await readLastPlaces(db, events);
  const dates = new Set(events.map(({ date }) => date));
  for (const message of messages) {
    if (!dates.has(message.date)) continue;
    const second = secondOf(message);
    const before = last.get(second) ?? 0;
    if (message.id < 0) message.position = Math.max(before, (message.reply_to_message_id ?? 0) * ROOM) + 1;
    last.set(second, Math.max(before, placeOf(message)));
  }
}

type Second = Pick<FoldedMessage, 'bot_id' | 'business_connection_id' | 'chat_id' | 'date'>;

async function readLastPlaces(db: Database, events: readonly Second[]): Promise<Map<string, number>> {
  const seconds = [...new Map(events.map((event) => [secondOf(event), event])).values()];
  const wanted = await unnestRows(seconds, [
    ['bigint', (one) => one.bot_id],
    ['text', (one) => one.business_connection_id],
    ['bigint', (one) => one.chat_id],
    ['bigint', (one) => one.date],
  ]);
  const { rows } = await sql<Second & { place: number }>`
    select wanted.*, known.place from ${wanted} as wanted (bot_id, business_connection_id, chat_id, date)
    cross join lateral (
      select max(${placeIn('m')}) as place from messages m
      where m.bot_id = wanted.bot_id and m.chat_id = wanted.chat_id and m.date = wanted.date
        and m.business_connection_id = wanted.business_connection_id and (m.id < 0 or not m.outgoing)
    ) as known where known.place is not null`.execute(db);
  return new Map(rows.map((row) => [secondOf(row), row.place]));
}

function secondOf({ bot_id, business_connection_id, chat_id, date }: Second): string {
  return `${bot_id} ${chat_id} ${date} ${business_connection_id}`;
}
