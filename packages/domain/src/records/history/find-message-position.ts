import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { shownSince } from '../../fleet/bots/deletion-store.ts';
import type { Conversation } from '../chats/conversation.ts';
import { placeOf } from './message-place.ts';
import type { MessageRow } from './message-row.ts';

/** The position of a message in its chat: messages are sorted by its parts. `place`: see message-place.ts. */
export type MessagePosition = readonly [date: number, place: number, id: number, businessConnectionId: string];

export function positionOf(
  message: Pick<MessageRow, 'date' | 'position' | 'id' | 'business_connection_id'>,
): MessagePosition {
  return [message.date, placeOf(message), message.id, message.business_connection_id];
}

/**
 * Finds a message by its id, the newest one if several connections have it, unless one is given ('' is none). Null: the chat has
 * no such message.
 */
export async function findMessagePosition(
  db: Database,
  chat: ChatOfBot,
  id: number,
  connection?: string,
): Promise<MessagePosition | null> {
  const found = db
    .selectFrom('messages')
    .select(['date', 'position', 'id', 'business_connection_id'])
    .where('bot_id', '=', chat.bot_id)
    .where('chat_id', '=', chat.chat_id)
    .where('id', '=', id)
    .where('date', '>=', shownSince(chat))
    .orderBy('date', 'desc')
    .limit(1);
  if (connection !== undefined) {
    const of = await found.where('business_connection_id', '=', connection).executeTakeFirst();
    return of === undefined ? null : positionOf(of);
  }
  // Business connections have private chats only. Without the connection, all messages of the chat are looked through.
  const row =
    (await found.where('business_connection_id', '=', '').executeTakeFirst()) ??
    (chat.chat_id > 0 ? await found.executeTakeFirst() : undefined);
  return row === undefined ? null : positionOf(row);
}

/**
 * The position of a message of a conversation, or of the gap that it left or would be in, by its id; null for a conversation without
 * such a place.
 */
export async function findPlaceOfId(
  db: Database,
  { business_connection_id, ...chat }: Conversation,
  id: number,
): Promise<MessagePosition | null> {
  const found = await findMessagePosition(db, chat, id, business_connection_id);
  // The ids of presses and of other records that are negative do not follow each other.
  if (found !== null || id < 0) return found;
  const before = await db
    .selectFrom('messages')
    .select('date')
    .where('bot_id', '=', chat.bot_id)
    .where('business_connection_id', '=', business_connection_id)
    .where('chat_id', '=', chat.chat_id)
    .where('id', '>', 0)
    .where('id', '<', id)
    .where('date', '>=', shownSince(chat))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return [before?.date ?? 0, placeOf({ id }), id, business_connection_id];
}
