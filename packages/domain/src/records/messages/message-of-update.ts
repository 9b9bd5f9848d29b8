import type { Database } from '@flotilla/database/connect.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { MESSAGE_COLUMNS } from '../history/message-row.ts';
import type { Message } from './message-store.ts';

/** Above every update id; the row of an event that is no message has a negative id (update-effects.ts). */
const IDS_OF_EVENTS = 2 ** 32;
const EVENTS = ['callback_query', 'chat_member', 'my_chat_member'];
/** A message has the date of the platform, which may be older than its arrival by a day. */
const DAY_S = 86_400;

type About = {
  updateId: number;
  acceptedAtMs: number | null;
  kind: string | null;
  chatId: number | null;
  messageId: number | null;
};

/** The row of the history for an update; null if there is none any more, or the bot has no history. */
export async function messageOfUpdate(
  db: Database,
  { id: botId, manageEnabled }: Pick<Bot, 'id' | 'manageEnabled'>,
  { updateId, acceptedAtMs, kind, chatId, messageId }: About,
): Promise<Message | null> {
  const id = EVENTS.includes(kind ?? '') ? updateId - IDS_OF_EVENTS : messageId;
  if (chatId === null || id === null || acceptedAtMs === null || !manageEnabled) return null;
  const aroundS = Math.floor(acceptedAtMs / 1000);
  const found = await db
    .selectFrom('messages')
    .select(MESSAGE_COLUMNS)
    .where('bot_id', '=', botId)
    .where('chat_id', '=', chatId)
    .where('id', '=', id)
    .where('date', '>=', aroundS - DAY_S)
    .where('date', '<=', aroundS + DAY_S)
    .limit(1)
    .executeTakeFirst();
  return found ?? null;
}
