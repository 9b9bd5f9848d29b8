import type { Database } from '@flotilla/database/connect.ts';
import { findMessagePosition } from '../history/find-message-position.ts';
import type { ChatOfBot } from './message-store.ts';

/**
 * The business connection of a message to a chat: the given one, else that of the chat's newest message if the bot knows the chat
 * through connections only. '' is none.
 */
export async function connectionOfChat(db: Database, chat: ChatOfBot, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  // Business connections have private chats only.
  if (chat.chatId <= 0) return '';
  const messages = db
    .selectFrom('messages')
    .select('business_connection_id as connection')
    .where('bot_id', '=', chat.botId)
    .where('chat_id', '=', chat.chatId)
    .limit(1);
  const newest = await messages.orderBy('date', 'desc').orderBy('id', 'desc').executeTakeFirst();
  // Only where the newest message has a connection, all partitions are asked for one without.
  if (newest === undefined || newest.connection === '') return '';
  const direct = await messages.where('business_connection_id', '=', '').executeTakeFirst();
  return direct === undefined ? newest.connection : '';
}

/** The business connection of a message that is stored: the given one, else that of the message with this id; else as for the chat. */
export async function connectionOfMessage(
  db: Database,
  chat: ChatOfBot,
  messageId: number,
  given: string | undefined,
): Promise<string> {
  if (given !== undefined || chat.chatId <= 0) return given ?? '';
  const position = await findMessagePosition(db, chat, messageId);
  return position === null ? connectionOfChat(db, chat, undefined) : position[2];
}

/** The parameter of a call. Without a connection there is none. */
export function connectionParam(connection: string): { business_connection_id?: string } {
  return connection === '' ? {} : { business_connection_id: connection };
}
