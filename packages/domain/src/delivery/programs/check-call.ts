import type { MethodGroup } from '@flotilla/contract/bot-api/methods.ts';
import { EPHEMERAL, effectOf, REPLY_FIELDS } from '@flotilla/contract/bot-api/parameters.ts';
import { canonicalJson, elementsAtMost, MOST_ELEMENTS } from '@flotilla/telegram/canonical-json.ts';
import {
  actsBesideChat,
  chatParametersOf,
  groupOfMethod,
  isNewInChat,
  LOCAL_FILES,
} from '@flotilla/telegram/method-groups.ts';
import { hasContent, hasPrice } from '@flotilla/telegram/method-parameters.ts';
import type { ActiveToken } from '../../fleet/bots/active-program.ts';
import { checkTopics, type NamedMessage, tellsTopic } from './check-topics.ts';

/** The limits of a caller for the parameters of its calls. `chats` null: in every chat. */
export type CallLimits = {
  chats: ReadonlySet<number> | null;
  /** Null: in every topic. Only with chats. */
  threads: ReadonlySet<number> | null;
  /** The list of methods in lower case; empty without one. */
  named: ReadonlySet<string>;
  maySpend: boolean;
  mayNameFiles: boolean;
  /** Files below this directory it may name in any case; null: none, and no list of methods changes that. */
  uploads?: string | null;
};

/** Whoever made a bot for another one has its token: all is allowed but naming files of a server's disk. */
export const LIMITS_OF_MANAGED: CallLimits = {
  ...{ chats: null, threads: null, named: new Set(), maySpend: true },
  ...{ mayNameFiles: false, uploads: null },
};

/** Every value of each parameter, in the platform's order: the query string before the body. */
export type SeenParameters = ReadonlyMap<string, readonly string[]>;

export type RefusedParameter = { outcome: 'refused'; about: 'chat' | 'method'; why: string; chatId: number | null };
/** `value`: what may be sent on, written anew where parsers could differ; null: nothing. */
export type CheckedParameter = { outcome: 'allowed'; value: string | null } | RefusedParameter;
/** `messages`: those that must be in the topics of the limits, which only the history tells (message-topics.ts). */
export type CheckedCall =
  | { outcome: 'allowed'; parameters: Map<string, string>; messages: NamedMessage[] }
  | RefusedParameter;

/** Allows what costs Stars or asks people for money. */
const MONEY: MethodGroup = 'payments';

/** Why a call is refused that would take too long to judge. */
export const TOO_MANY_ELEMENTS = 'its parameters have too many elements';
const CHAT_ID = /^-?[1-9]\d{0,15}$/;
const DISK_FILE = /^\s*file:/i;
/** Ahead of a value, the platform skips these characters. */
const LEADING_SPACE = /^[\0\t\n\v\f\r ]+/;

/** Both are granted by name only, so a token without a list has neither. `uploads`: that of uploadsAt for the bot. */
export function limitsOf(
  { methods, chats, threads }: Pick<ActiveToken, 'methods' | 'chats' | 'threads'>,
  uploads: string | null,
): CallLimits {
  const named = new Set(methods?.map((name) => name.toLowerCase()));
  return {
    chats: chats === null ? null : new Set(chats),
    threads: chats === null || threads === null ? null : new Set(threads),
    named,
    maySpend: named.has(MONEY),
    mayNameFiles: named.has(LOCAL_FILES) && uploads === null,
    uploads: named.has(LOCAL_FILES) ? (uploads ?? '') : '',
  };
}

/**
 * How much of a call must be read: `nothing`; `prices`: parameters that cost Stars, which an empty value in the query
 * string overrules; `everything`.
 */
export function toRead(
  { chats, maySpend, mayNameFiles }: CallLimits,
  lowerCaseMethod: string,
): 'nothing' | 'prices' | 'everything' {
  // Client libraries begin with getMe, which touches no chat.
  if (lowerCaseMethod === 'getme') return 'nothing';
  if (chats !== null) return 'everything';
  if (maySpend && mayNameFiles) return 'nothing';
  if (hasContent(lowerCaseMethod) || groupOfMethod(lowerCaseMethod) === undefined) return 'everything';
  return !maySpend && hasPrice(lowerCaseMethod) ? 'prices' : 'nothing';
}

/** True if a call stays within its limits. Whatever cannot be checked is refused. */
export function checkCall(limits: CallLimits, lowerCaseMethod: string, seen: SeenParameters): CheckedCall {
  if (limits.chats !== null) {
    const names = chatParametersOf(lowerCaseMethod) ?? chatOfNew(limits, lowerCaseMethod);
    if (names === null) return refused('chat', 'it may act in some chats only');
    const absent = names.find((name) => seen.get(name) === undefined);
    if (absent !== undefined) return refused('chat', whyAbsent(absent, seen));
  }
  // Each value may be short, and there may be many.
  let elements = 0;
  for (const values of seen.values()) for (const value of values) elements += elementsAtMost(value);
  if (elements > MOST_ELEMENTS) return refused('method', TOO_MANY_ELEMENTS);
  const parameters = new Map<string, string>();
  for (const [name, values] of seen) {
    for (const value of values) {
      const checked = checkOfMethod(limits, lowerCaseMethod, name, value);
      if (checked.outcome === 'refused') return checked;
      // The platform takes the first of a name.
      if (checked.value !== null && !parameters.has(name)) parameters.set(name, checked.value);
    }
  }
  if (limits.threads === null) return { outcome: 'allowed', parameters, messages: [] };
  const inTopics = checkTopics(limits.threads, lowerCaseMethod, seen);
  if (inTopics.outcome === 'refused') return refused('chat', inTopics.why);
  return { outcome: 'allowed', parameters, messages: inTopics.messages };
}

function whyAbsent(name: string, seen: SeenParameters): string {
  if (name !== 'chat_id' || !seen.has(EPHEMERAL)) return `${name} is missing, or comes after the first file`;
  return 'chat_id is missing, and nobody knows in which chat the press was that it answers';
}

/** Its other parameters are known to name no other chat, since those that we do not know are refused. */
function chatOfNew({ named }: CallLimits, lowerCaseMethod: string): string[] | null {
  if (groupOfMethod(lowerCaseMethod) !== undefined) return null;
  return named.has(lowerCaseMethod) || isNewInChat(named, lowerCaseMethod) ? ['chat_id'] : null;
}

/** The platform passes over a `chat_id` that a method does not have, so what else it could act on is refused. */
function checkOfMethod(limits: CallLimits, lowerCaseMethod: string, name: string, value: string): CheckedParameter {
  const byGroupNew =
    limits.chats !== null && groupOfMethod(lowerCaseMethod) === undefined && !limits.named.has(lowerCaseMethod);
  if (!byGroupNew || !actsBesideChat(name)) return checkParameter(limits, name, value);
  return refused('chat', `with ${name} the method must be named itself among its methods`);
}

/** The same for a parameter behind the first file of a form, of which everything before is on its way to the platform. */
export function checkLateParameter(
  limits: CallLimits,
  lowerCaseMethod: string,
  name: string,
  value: string,
): CheckedParameter {
  if (limits.threads === null || !tellsTopic(name)) return checkOfMethod(limits, lowerCaseMethod, name, value);
  return refused('chat', `${name} must come before the first file`);
}

/** Judges one value of one parameter. */
export function checkParameter(limits: CallLimits, name: string, value: string): CheckedParameter {
  const { chats } = limits;
  switch (effectOf(name)) {
    case 'chat':
      if (chats === null || isAmong(chats, value)) return allowed(value);
      return refused('chat', `${name} is not one of its chats`, value);
    case 'elsewhere':
      if (chats === null) return allowed(value);
      return value === '' ? allowed(null) : refused('chat', `${name} leads out of its chats`);
    case 'reply':
      return chats === null || value === '' ? allowed(value) : checkReply(chats, value);
    case 'spending':
      if (limits.maySpend || isVoid(name, value)) return allowed(limits.maySpend ? value : null);
      return refused('method', `${name} can cost Stars, which needs ${MONEY} among its methods`);
    case 'content':
      return checkContent(limits, name, value);
    case 'plain':
      // The method is in the path.
      return allowed(name === 'method' ? null : value);
    case undefined:
      // It may name another chat, or a file.
      if (chats !== null) return refused('chat', `nothing is known of ${shown(name)}`);
      return checkContent(limits, shown(name), value);
  }
}

/** Without a `chat_id`, a reply is to a message in the chat of the call. */
function checkReply(chats: ReadonlySet<number>, value: string): CheckedParameter {
  let isWithin = true;
  const written = canonicalJson(value, (name, field) => {
    if (name === 'chat_id') isWithin &&= isAmong(chats, String(field));
  });
  if (written === null || !written.startsWith('{')) return refused('chat', 'reply_parameters cannot be read');
  const unknown = Object.keys(JSON.parse(written)).find((name) => !REPLY_FIELDS.has(name));
  if (unknown !== undefined) return refused('chat', `nothing is known of ${shown(unknown)} in reply_parameters`);
  return isWithin ? allowed(written) : refused('chat', 'reply_parameters name another chat');
}

/** A file is named by a text, alone or anywhere in JSON. An invoice among inline results has prices. */
function checkContent(
  { maySpend, mayNameFiles, uploads = '' }: CallLimits,
  name: string,
  value: string,
): CheckedParameter {
  if (maySpend && mayNameFiles) return allowed(value);
  const namesFile = (text: unknown) =>
    !mayNameFiles && typeof text === 'string' && DISK_FILE.test(text) && !isUpload(uploads ?? '', text);
  const refusedFile = refused('method', `${name} names ${whichFile(uploads)}`);
  const text = value.replace(LEADING_SPACE, '');
  if (!text.startsWith('{') && !text.startsWith('[')) return namesFile(text) ? refusedFile : allowed(value);
  let [file, sells] = [false, false];
  const written = canonicalJson(text, (member, of) => {
    file ||= namesFile(of);
    sells ||= !maySpend && member === 'prices';
  });
  if (written === null) return refused('method', `the JSON of ${name} is malformed or has too many elements`);
  if (file) return refusedFile;
  if (sells) return refused('method', `${name} has an invoice, which needs ${MONEY} among its methods`);
  return allowed(written);
}

function whichFile(uploads: string | null): string {
  if (uploads === null) return 'a file on a disk, which the token of a managed bot may not';
  return uploads === ''
    ? `a file on a disk, which needs ${LOCAL_FILES} among its methods`
    : 'a file outside of the directory for uploads of its upstream';
}

/** Strict, since the server decodes it: an escape, or a segment that leads up, could name another file. */
function isUpload(uploads: string, text: string): boolean {
  const path = /^file:\/{0,3}([^%\\\0?#]+)$/i.exec(text)?.[1] ?? '';
  const segments = path.split('/');
  if (uploads === '' || segments.some((one) => one === '' || one === '.' || one === '..')) return false;
  return `/${path}`.startsWith(`${uploads.replace(/\/+$/, '')}/`);
}

/** The values that the platform takes for no. A suggested post may have no price, but only an empty value surely has none. */
function isVoid(name: string, value: string): boolean {
  return value === '' || (name === 'allow_paid_broadcast' && !/^\s*(?:true|yes|1)\s*$/i.test(value));
}

function isAmong(chats: ReadonlySet<number>, value: string): boolean {
  return CHAT_ID.test(value) && chats.has(Number(value));
}

/** A client may send anything as a name. */
function shown(name: string): string {
  return /^\w{1,64}$/.test(name) ? name : 'one of its parameters';
}

function allowed(value: string | null): CheckedParameter {
  return { outcome: 'allowed', value };
}

function refused(about: 'chat' | 'method', why: string, chat = ''): RefusedParameter {
  return { outcome: 'refused', about, why, chatId: CHAT_ID.test(chat) ? Number(chat) : null };
}
