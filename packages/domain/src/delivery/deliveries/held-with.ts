import { chatIdOfUpdate, connectionOfUpdate } from '@flotilla/telegram/chat-id.ts';
import { passesHold } from '@flotilla/telegram/passes-hold.ts';
import { sliceUpdate } from '@flotilla/telegram/slice-updates.ts';
import { readUpdateFacts } from '@flotilla/telegram/update-facts.ts';
import type { InChat } from '../../records/takeover/held-chats.ts';

/** The conversation whose hold keeps this update (its JSON text) back; null for one that passes. */
export function heldWith(raw: string): InChat | null {
  const update = sliceUpdate(raw)?.value ?? {};
  const { kind } = readUpdateFacts(update);
  const chat_id = passesHold(kind, update) ? null : chatIdOfUpdate(update, kind);
  return chat_id === null ? null : { chat_id, business_connection_id: connectionOfUpdate(update, kind) };
}
