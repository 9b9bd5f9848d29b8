import { chatIdOfUpdate } from '@flotilla/telegram/chat-id.ts';
import { isAmongTopics, topicOfUpdate } from '@flotilla/telegram/message-topic.ts';
import { type Fields, readObject } from '@flotilla/telegram/platform-fields.ts';
import type { ActiveToken } from '../../fleet/bots/active-program.ts';

/** Where a token may see what happens. `threads` null: in every topic. */
export type SeenPlaces = { chats: ReadonlySet<number>; threads: ReadonlySet<number> | null };

/** The places of a token that is limited to chats; null for one that is not. */
export function placesOf({ chats, threads }: Pick<ActiveToken, 'chats' | 'threads'>): SeenPlaces | null {
  return chats === null ? null : { chats: new Set(chats), threads: threads && new Set(threads) };
}

/**
 * True if an update happened in one of these chats, and in one of these topics if there are such. One without a chat, such as an inline query, did not; nor did one of
 * a business account, which happened in a chat of somebody else.
 */
export function isUpdateWithin({ chats, threads }: SeenPlaces, raw: string): boolean {
  const { update_id: _, ...update } = JSON.parse(raw) as Fields;
  const [kind, another] = Object.keys(update);
  if (kind === undefined || another !== undefined) return false;
  const payload = readObject(update, kind) ?? {};
  const isOfBusiness = [payload, readObject(payload, 'message')].some(
    (part) => part?.business_connection_id !== undefined,
  );
  const chat = chatIdOfUpdate(update, kind);
  if (isOfBusiness || chat === null || !chats.has(chat)) return false;
  const topic = threads === null ? null : topicOfUpdate(payload, kind);
  return threads === null || (topic !== null && isAmongTopics(threads, topic, chat));
}
