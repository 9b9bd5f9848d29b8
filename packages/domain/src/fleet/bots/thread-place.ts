import type { ActiveRule } from './active-rule.ts';

/** A topic of a chat, as the condition of a routing rule names it. */
export type ThreadPlace = { chat_id: number; thread_id: number };

const PLACE = /^(-?[1-9]\d{0,15}):(0|[1-9]\d{0,9})$/;
/** A topic has the id of the message that made it, which has 31 bits. */
const LARGEST_THREAD_ID = 2 ** 31 - 1;

/** Reads `<chat>:<thread>`; null for any other text. */
export function readThreadPlace(text: string): ThreadPlace | null {
  const [, chat, thread] = PLACE.exec(text.trim()) ?? [];
  const [chat_id, thread_id] = [Number(chat), Number(thread)];
  return Number.isSafeInteger(chat_id) && thread_id <= LARGEST_THREAD_ID ? { chat_id, thread_id } : null;
}

/** The only chat whose messages a rule is about; null if its condition names none. */
export function chatOfCondition({
  condition_type,
  condition_value,
}: Pick<ActiveRule, 'condition_type' | 'condition_value'>): number | null {
  if (condition_type === 'chat_id') return Number(condition_value);
  return condition_type === 'thread_id' ? (readThreadPlace(condition_value)?.chat_id ?? null) : null;
}
