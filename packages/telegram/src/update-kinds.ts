/** The release of the Bot API whose kinds, methods and service messages are known here. */
export const BOT_API_VERSION = '10.3';

/** Every update kind in the platform's order. Its internal custom_event and custom_query are not among them. */
export const UPDATE_KINDS = [
  'message',
  'edited_message',
  'channel_post',
  'edited_channel_post',
  'inline_query',
  'chosen_inline_result',
  'callback_query',
  'shipping_query',
  'pre_checkout_query',
  'poll',
  'poll_answer',
  'my_chat_member',
  'chat_member',
  'chat_join_request',
  'chat_boost',
  'removed_chat_boost',
  'message_reaction',
  'message_reaction_count',
  'business_connection',
  'business_message',
  'edited_business_message',
  'deleted_business_messages',
  'purchased_paid_media',
  'managed_bot',
  'guest_message',
  'subscription',
  'stopped_message_generation',
] as const;

export type UpdateKind = (typeof UPDATE_KINDS)[number];

/** The kinds that a bot receives only if it names them. */
export const ONLY_ON_DEMAND: readonly string[] = ['chat_member', 'message_reaction', 'message_reaction_count'];

/** New messages: only these are routed by rules (lib/log.lua has the same list), and only these come as albums. */
export const NEW_MESSAGE_KINDS: readonly string[] = ['message', 'channel_post', 'business_message'];

export type AllowedUpdates = { kind: 'unchanged' } | { kind: 'default' } | { kind: 'only'; kinds: string[] };

/** What can be the name of a kind. A list of kinds is passed to scripts with commas between them. */
const KIND_NAME = /^[a-z0-9_]{1,64}$/;

/** How many unknown names are kept of one list, and for one bot. The platform itself adds a few kinds a year. */
const UNKNOWN_AT_MOST = 50;
const ASKED_FOR_AT_MOST = 200;

/**
 * Reads an `allowed_updates` parameter, as JSON text or an array, as leniently as the platform. Anything but an array
 * of strings changes nothing. Unlike at the platform, an unknown name is kept, because the platform may know it.
 */
export function parseAllowedUpdates(value: unknown): AllowedUpdates {
  const names = typeof value === 'string' ? parseJson(value) : value;
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) return { kind: 'unchanged' };
  const wanted = new Set(names.map((name: string) => name.toLowerCase()));
  const kinds = [...UPDATE_KINDS.filter((kind) => wanted.has(kind)), ...unknownKinds(wanted)];
  return kinds.length === 0 ? { kind: 'default' } : { kind: 'only', kinds };
}

/** The names that are no kind we know, each once and only so many as a bot may name. */
export function unknownKinds(names: Iterable<string>): string[] {
  const unknown = [...new Set(names)].filter((name) => KIND_NAME.test(name) && !isKnownKind(name));
  return unknown.slice(0, UNKNOWN_AT_MOST);
}

/**
 * What to ask the platform for: all kinds we know, and these as far as a request has room for them, the first ones first.
 * The platform ignores names that it does not know.
 */
export function kindsToAskFor(...others: readonly (readonly string[])[]): string[] {
  const unknown = new Set(others.flatMap((kinds) => kinds.filter((kind) => !isKnownKind(kind))));
  return [...UPDATE_KINDS, ...[...unknown].slice(0, ASKED_FOR_AT_MOST)];
}

export function isKnownKind(kind: string): kind is UpdateKind {
  return (UPDATE_KINDS as readonly string[]).includes(kind);
}

/** True for the kinds that a reader gets if it named none; also for a kind that is too new to be known here. */
export function isDefaultKind(kind: string): boolean {
  return !ONLY_ON_DEMAND.includes(kind);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
