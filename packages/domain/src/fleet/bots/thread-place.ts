import type { ActiveRule } from './active-rule.ts';

/** A topic of a chat, as the condition of a routing rule names it. */
export type ThreadPlace = { chatId: number; threadId: number };

const PLACE = /^(-?[1-9]\d{0,15}):(0|[1-9]\d{0,9})$/;
/** A topic has the id of the message that made it, which has 31 bits. */
const LARGEST_THREAD_ID = 2 ** 31 - 1;

/** Reads `<chat>:<thread>`; null for any other text. */
export function readThreadPlace(text: string): ThreadPlace | null {
  const [, chat, thread] = PLACE.exec(text.trim()) ?? [];
  const [chatId, threadId] = [Number(chat), Number(thread)];
  return Number.isSafeInteger(chatId) && threadId <= LARGEST_THREAD_ID ? { chatId, threadId } : null;
}

/** The only chat whose messages a rule is about; null if its condition names none. */
export function chatOfCondition({
  conditionType,
  conditionValue,
}: Pick<ActiveRule, 'conditionType' | 'conditionValue'>): number | null {
  if (conditionType === 'chat_id') return Number(conditionValue);
  return conditionType === 'thread_id' ? (readThreadPlace(conditionValue)?.chatId ?? null) : null;
}
