import { kindFacts } from '@flotilla/contract/bot-api/update-kinds.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { IDS_OF_EVENTS } from '../history/effects/update-effects.ts';
import { MESSAGE_COLUMNS } from '../history/message-row.ts';
import type { Message } from './message-store.ts';

const EVENTS = ['callback_query', 'chat_member', 'my_chat_member', 'widget_query'];
/** A message has the date of the platform, which may be older than its arrival by a day. */
const DAY_S = 86_400;

type About = {
  update_id: number;
  acceptedAtMs: number | null;
  kind: string | null;
  chat_id: number | null;
  messageId: number | null;
};

/** The row of the history for an update; null if there is none any more, or the bot has no history. */
export async function messageOfUpdate(
  db: Database,
  bot: Pick<Bot, 'id' | 'manage_enabled'>,
  about: About,
): Promise<Message | null> {
  const [message = null] = await messagesOfUpdates(db, bot, [about]);
  return message;
}

/** The same for several updates, in their order. */
export async function messagesOfUpdates(
  db: Database,
  { id: botId, manage_enabled }: Pick<Bot, 'id' | 'manage_enabled'>,
  updates: readonly About[],
): Promise<(Message | null)[]> {
  const places = updates.map(placeOf);
  const wanted = places.filter((place) => place !== null);
  if (!manage_enabled || wanted.length === 0) return updates.map(() => null);
  const dates = wanted.map(({ aroundS }) => aroundS);
  const found = await db
    .selectFrom('messages')
    .select(MESSAGE_COLUMNS)
    .where('bot_id', '=', botId)
    .where((row) =>
      row(
        row.refTuple('chat_id', 'id'),
        'in',
        wanted.map(({ chat_id, id }) => row.tuple(chat_id, id)),
      ),
    )
    .where('date', '>=', Math.min(...dates) - DAY_S)
    .where('date', '<=', Math.max(...dates) + DAY_S)
    .execute();
  return places.map((place) => (place === null ? null : (found.find((message) => isAt(message, place)) ?? null)));
}

type Place = { chat_id: number; id: number; aroundS: number };

function placeOf({ update_id, acceptedAtMs, kind, chat_id, messageId }: About): Place | null {
  const isEvent = kind !== null && (EVENTS.includes(kind) || kindFacts(kind) === undefined);
  const id = isEvent ? update_id - IDS_OF_EVENTS : messageId;
  return chat_id === null || id === null || acceptedAtMs === null
    ? null
    : { chat_id, id, aroundS: Math.floor(acceptedAtMs / 1000) };
}

function isAt({ chat_id, id, date }: Message, place: Place): boolean {
  return chat_id === place.chat_id && id === place.id && Math.abs(date - place.aroundS) <= DAY_S;
}
