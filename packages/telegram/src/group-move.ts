import { type Fields, isFields, readObject } from './platform-fields.ts';

/** A group that became a supergroup, which has another id and numbers its messages anew. */
export type GroupMove = { fromChatId: number; toChatId: number };

/**
 * Supergroups and channels have ids below this (`-100…`), and the same message ids for all bots. In private chats and basic
 * groups each account has message ids of its own.
 */
export const SHARED_CHATS_BELOW = -1_000_000_000_000;

/**
 * The move that a Message tells of. The platform tells it twice: in the group with the supergroup's id, and in the
 * supergroup with the group's. Null for every other message. Never throws.
 */
export function readGroupMove(message: Fields | null): GroupMove | null {
  if (message?.migrate_to_chat_id === undefined && message?.migrate_from_chat_id === undefined) return null;
  const chatId = readObject(message, 'chat')?.id;
  const fromChatId = Number(message.migrate_from_chat_id ?? chatId);
  const toChatId = Number(message.migrate_to_chat_id ?? chatId);
  return isGroupMove(fromChatId, toChatId) ? { fromChatId, toChatId } : null;
}

/** True if these can be the ids of a group and of its supergroup. */
export function isGroupMove(fromChatId: number, toChatId: number): boolean {
  return isGroup(fromChatId) && Number.isSafeInteger(toChatId) && toChatId < SHARED_CHATS_BELOW;
}

/** The basic groups that the parameters of a call name, as numbers or as texts; at most three. */
export function groupsAmong(params: Fields): number[] {
  const named = [params.chat_id, params.from_chat_id, repliedChat(params.reply_parameters)];
  return [...new Set(named.map((id) => Number(id ?? 0)).filter(isGroup))];
}

function isGroup(chatId: number): boolean {
  return Number.isSafeInteger(chatId) && chatId < 0 && chatId > SHARED_CHATS_BELOW;
}

function repliedChat(given: unknown): unknown {
  const reply = typeof given === 'string' ? parsed(given) : given;
  return isFields(reply) ? reply.chat_id : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
