import { chatIdOfUpdate } from '@flotilla/telegram/chat-id.ts';
import { type Fields, readObject } from '@flotilla/telegram/platform-fields.ts';

/**
 * Whether an update happened in one of these chats. One without a chat, such as an inline query, did not; nor did one of
 * a business account, which happened in a chat of somebody else.
 */
export function isUpdateWithin(chats: ReadonlySet<number>, raw: string): boolean {
  const { update_id: _, ...update } = JSON.parse(raw) as Fields;
  const [kind, another] = Object.keys(update);
  if (kind === undefined || another !== undefined) return false;
  const payload = readObject(update, kind) ?? {};
  const isOfBusiness = [payload, readObject(payload, 'message')].some(
    (part) => part?.business_connection_id !== undefined,
  );
  const chat = chatIdOfUpdate(update, kind);
  return !isOfBusiness && chat !== null && chats.has(chat);
}
