import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { chatIdOfUpdate, connectionOfUpdate } from '@flotilla/telegram/chat-id.ts';
import { passesHold } from '@flotilla/telegram/passes-hold.ts';
import { sliceUpdate } from '@flotilla/telegram/slice-updates.ts';
import { readUpdateFacts } from '@flotilla/telegram/update-facts.ts';
import { type InChat, isHeldNow } from '../../records/takeover/held-chats.ts';
import type { BotWithBackend } from '../push/backend.ts';

export const TAKEN_OVER = 'A person has taken the chat over; replay it when the chat is released';

/** The conversation whose hold keeps this update (its JSON text) back; null for one that passes. */
export function heldWith(raw: string): InChat | null {
  const update = sliceUpdate(raw)?.value ?? {};
  const { kind } = readUpdateFacts(update);
  const chat_id = passesHold(kind, update) ? null : chatIdOfUpdate(update, kind);
  return chat_id === null ? null : { chat_id, business_connection_id: connectionOfUpdate(update, kind) };
}

/** True if this backend gets no such update now, because its conversation is held. Rejects when Redis is away. */
export async function isHeldFrom(
  deps: { redis: RedisHandles },
  { id, program }: BotWithBackend,
  raw: string,
): Promise<boolean> {
  const heldIn = program?.sees_held ? null : heldWith(raw);
  return heldIn !== null && (await isHeldNow(deps, id, heldIn));
}
