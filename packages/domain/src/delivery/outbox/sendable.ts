import { type CaptureEffect, writtenMethod } from '@flotilla/contract/bot-api/methods.ts';
import { effectOf, parametersWith } from '@flotilla/contract/bot-api/parameters.ts';
import { isStorable } from '@flotilla/contract/inputs.ts';
import { LARGEST_PARAMS } from '@flotilla/contract/outbox.ts';
import { refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import { canonicalJson } from '@flotilla/telegram/canonical-json.ts';
import { CAPTURED_METHODS } from '@flotilla/telegram/captured-methods.ts';
import { groupOfMethod, isNewMethod } from '@flotilla/telegram/method-groups.ts';
import type { Fields } from '@flotilla/telegram/platform-fields.ts';

/** The history's form of messages that the outbox may send. */
const SENDING: readonly CaptureEffect[] = ['messages', 'copies', 'edits'];
/** It neither sends nor edits what people wrote. */
const OTHERS = ['setgamescore'];

/** The methods that send, edit, copy or forward, in lower case. */
const OUTBOX_METHODS: ReadonlySet<string> = new Set(
  [...CAPTURED_METHODS].flatMap(([name, { effect }]) =>
    SENDING.includes(effect) && !OTHERS.includes(name) ? [name] : [],
  ),
);

/**
 * The method as the Bot API writes it. Throws 'bad_request' for one that the outbox does not send. One that we do not know is taken,
 * and is among what only admins and tokens that name it may hand over (`whyForAdmins`).
 */
export function requireSendable(method: string): string {
  const name = method.toLowerCase();
  if (isNewMethod(method) && !name.startsWith('get')) return method;
  if (!OUTBOX_METHODS.has(name)) throw refusedInput('method', 'must be one that sends, edits, copies or forwards');
  return writtenMethod(name);
}

/** False for copies and forwards: the Bot API has none into business chats. */
export function takesConnection(method: string): boolean {
  return !/^(copy|forward)/i.test(method);
}

/** The chat that the parameters name: its id, or its public name without @. Throws 'bad_request'. */
export function requireChat({ chat_id: chat }: Fields): { id: number } | { name: string } {
  if (chat === undefined || chat === null) throw refusedInput('params.chat_id', 'is required');
  if (typeof chat === 'number' && Number.isSafeInteger(chat) && chat !== 0) return { id: chat };
  if (typeof chat === 'string' && /^-?[1-9]\d{0,15}$/.test(chat) && Number.isSafeInteger(Number(chat))) {
    return { id: Number(chat) };
  }
  if (typeof chat === 'string' && /^@[A-Za-z]\w{3,31}$/.test(chat)) return { name: chat.slice(1) };
  throw refusedInput('params.chat_id', 'must be the id of a chat, an integer within ±(2^53-1), or its @username');
}

/**
 * The parameters as they are stored: JSON text is written anew, so that the platform reads what was read here. Throws 'bad_request' if
 * they are too large, cannot be stored, or name a file that only an upload could bring or that a server has on its disk.
 */
export function storableParams(params: Fields): Fields {
  if (Buffer.byteLength(JSON.stringify(params)) > LARGEST_PARAMS) {
    throw refusedInput('params', `must not have more than ${LARGEST_PARAMS / 1024} KiB`);
  }
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, storableValue(name, value)]));
}

/** Parameters whose texts are no files, so that people may write about `attach://`. */
const WORDS = new Set(['text', 'caption', 'question', 'description', 'explanation', 'title', 'payload']);
/** A server in local mode takes `file:` with any number of slashes. */
const UPLOAD_OR_DISK = /^\s*(?:attach:\/\/|file:)/i;
const JSON_TEXT = /^\s*[[{]/;
const UNSTORABLE = 'must not contain a NUL character or half of a surrogate pair';

function storableValue(name: string, value: unknown): unknown {
  if (!isStorable(name)) throw refusedInput('params', UNSTORABLE);
  const json = typeof value === 'string' && JSON_TEXT.test(value) && !WORDS.has(name) ? value : null;
  const written = json === null ? null : canonicalJson(json, () => undefined);
  if (json !== null && written === null && effectOf(name) !== 'plain') {
    throw refusedInput(`params.${name}`, 'has JSON that is malformed or has too many elements');
  }
  requireText(name, name, written === null ? value : JSON.parse(written));
  return written ?? value;
}

function requireText(path: string, name: string, value: unknown): void {
  if (typeof value === 'string') {
    if (!isStorable(value)) throw refusedInput(`params.${path}`, UNSTORABLE);
    if (!WORDS.has(name) && UPLOAD_OR_DISK.test(value)) {
      throw refusedInput(`params.${path}`, 'must name a file by its id or a URL; an upload cannot wait');
    }
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    if (!isStorable(key)) throw refusedInput('params', UNSTORABLE);
    requireText(path, Array.isArray(value) ? name : key, part);
  }
}

/** The calls that everybody may hand over: these methods without these parameters, which can cost Stars of the bot. */
export const FOR_EVERYBODY = {
  methods: [...OUTBOX_METHODS].filter((name) => groupOfMethod(name) !== 'payments').map(writtenMethod),
  without: parametersWith('spending'),
};

/** Throws 'bad_request' for what is for admins, as for the tokens of programs. */
export function refuseForAdmins(method: string, params: Fields): void {
  const why = whyForAdmins(method, params);
  if (why !== null) throw refusedInput(why.path, `is for admins: ${why.reason}`);
}

/** Why only admins may hand a call over; null if everybody may: what can cost Stars of the bot, invoices, and methods that we do not know. */
export function whyForAdmins(method: string, params: Fields): { path: string; reason: string } | null {
  if (isNewMethod(method)) return { path: 'method', reason: 'nothing is known of it' };
  if (groupOfMethod(method.toLowerCase()) === 'payments') return { path: 'method', reason: 'it is about money' };
  const costly = FOR_EVERYBODY.without.find((name) => params[name] !== undefined && params[name] !== false);
  return costly === undefined ? null : { path: `params.${costly}`, reason: 'it can cost Stars of the bot' };
}

/** How many messages a call sends. */
export function messagesIn(params: Fields): number {
  const many = listed(params.media) ?? listed(params.message_ids);
  return Math.max(1, many?.length ?? 1);
}

function listed(value: unknown): unknown[] | null {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string' || !value.trimStart().startsWith('[')) return null;
  try {
    const list: unknown = JSON.parse(value);
    return Array.isArray(list) ? list : null;
  } catch {
    return null;
  }
}
