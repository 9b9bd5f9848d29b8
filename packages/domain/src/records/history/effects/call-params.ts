import { parsePlatformJson } from '@flotilla/telegram/platform-json.ts';
import { scalarText } from '@flotilla/telegram/scalar-text.ts';
import type { ChatRef } from './history-effect.ts';

export type CallParams = Record<string, string>;

/** The platform reads these as 32 bits, and cuts off what is longer. */
const SHORT_IDS = new Set(['message_id', 'reply_to_message_id', 'message_thread_id', 'until_date']);

/** A chat parameter; null when it is neither an id nor an '@username'. The platform ignores dots and case in a name. */
export function readChatRef(params: CallParams, name: string): ChatRef | null {
  const value = params[name] ?? '';
  if (!value.startsWith('@')) return readInteger(value, 64);
  const username = value.replaceAll('.', '').trim().toLowerCase();
  return /^@\w+$/.test(username) ? username : null;
}

/** An id parameter, or null when it is absent or 0. */
export function readIdParam(params: CallParams, name: string): number | null {
  return readInteger(params[name] ?? '', SHORT_IDS.has(name) ? 32 : 64);
}

/** A parameter that is a JSON list of ids; other values in it are left out. */
export function readIdsParam(params: CallParams, name: string): number[] {
  const values = parsePlatformJson(params[name] ?? '');
  if (!Array.isArray(values)) return [];
  return values.map((value: unknown) => toId(scalarText(value))).filter((id) => id !== null);
}

/** True if the platform takes the parameter for true. */
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
  const reply = parsePlatformJson(params.reply_parameters ?? '');
  if (typeof reply !== 'object' || reply === null || !('message_id' in reply)) {
    return readIdParam(params, 'reply_to_message_id');
  }
  const isElsewhere =
    'chat_id' in reply && readChatRef({ of: scalarText(reply.chat_id) }, 'of') !== readChatRef(params, 'chat_id');
  return isElsewhere ? null : toId(scalarText(reply.message_id));
}

/** A parameter that is JSON; undefined when it is absent or malformed. */
export function readJsonParam(params: CallParams, name: string): unknown {
  return parsePlatformJson(params[name] ?? '');
}

function toId(text: string): number | null {
  const id = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(id) ? id : null;
}

/** Reads an integer like the platform (`to_integer`): a minus and the leading digits, of which the lowest bits count. */
function readInteger(text: string, bits: 32 | 64): number | null {
  const digits = /^-?\d+/.exec(text)?.[0];
  const id = digits === undefined ? 0 : Number(BigInt.asIntN(bits, BigInt(digits)));
  return id !== 0 && Number.isSafeInteger(id) ? id : null;
}
