import type { ChatRef } from './history-effect.ts';

export type CallParams = Record<string, string>;

/** A chat parameter; null when it is neither an id nor an '@username'. */
export function readChatRef(params: CallParams, name: string): ChatRef | null {
  const value = params[name]?.trim() ?? '';
  if (/^@\w+$/.test(value)) return value.toLowerCase();
  return toId(value);
}

/** An id parameter, or null when it is absent or no exact integer. */
export function readIdParam(params: CallParams, name: string): number | null {
  return toId(params[name]?.trim() ?? '');
}

/** A parameter that is a JSON list of ids; other values in it are left out. */
export function readIdsParam(params: CallParams, name: string): number[] {
  const values = parseJson(params[name] ?? '');
  if (!Array.isArray(values)) return [];
  return values.map((value: unknown) => toId(String(value))).filter((id) => id !== null);
}

/** Whether the platform takes the parameter for true. */
export function isTrue(params: CallParams, name: string): boolean {
  return ['true', 'yes', '1'].includes(params[name]?.trim().toLowerCase() ?? '');
}

/** A text parameter as a text column can hold it; null when absent or empty, which the platform treats alike. */
export function readTextParam(params: CallParams, name: string): string | null {
  const value = params[name]?.replaceAll('\u0000', '') ?? '';
  return value === '' ? null : value;
}

/**
 * The message of its own chat to which a call replies, from `reply_parameters` or the older `reply_to_message_id`; null for a reply
 * to a message of another chat.
 */
export function readReplyParam(params: CallParams): number | null {
  const reply = parseJson(params.reply_parameters ?? '');
  if (typeof reply !== 'object' || reply === null || !('message_id' in reply)) {
    return readIdParam(params, 'reply_to_message_id');
  }
  const isElsewhere =
    'chat_id' in reply && readChatRef({ of: String(reply.chat_id) }, 'of') !== readChatRef(params, 'chat_id');
  return isElsewhere ? null : toId(String(reply.message_id));
}

/** A parameter that is JSON; undefined when it is absent or malformed. */
export function readJsonParam(params: CallParams, name: string): unknown {
  return parseJson(params[name] ?? '');
}

function toId(text: string): number | null {
  const id = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(id) ? id : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
