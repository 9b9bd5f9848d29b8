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
] as const;

export type UpdateKind = (typeof UPDATE_KINDS)[number];

/** The kinds that a bot receives only if it names them. */
export const ONLY_ON_DEMAND: readonly string[] = ['chat_member', 'message_reaction', 'message_reaction_count'];

/** The kinds that a bot receives if it never named any. */
export const DEFAULT_KINDS: readonly UpdateKind[] = UPDATE_KINDS.filter(isDefaultKind);

/** New messages: only these are routed by rules (lib/log.lua has the same list), and only these come as albums. */
export const NEW_MESSAGE_KINDS: readonly string[] = ['message', 'channel_post', 'business_message'];

export type AllowedUpdates = { kind: 'unchanged' } | { kind: 'default' } | { kind: 'only'; kinds: UpdateKind[] };

/**
 * Reads an `allowed_updates` parameter, as JSON text or an array, as leniently as the platform. Anything but an array
 * of strings changes nothing, and unknown names are ignored. An array without a known name means the default set.
 */
export function parseAllowedUpdates(value: unknown): AllowedUpdates {
  const names = typeof value === 'string' ? parseJson(value) : value;
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) return { kind: 'unchanged' };
  const wanted = new Set(names.map((name: string) => name.toLowerCase()));
  const kinds = UPDATE_KINDS.filter((kind) => wanted.has(kind));
  return kinds.length === 0 ? { kind: 'default' } : { kind: 'only', kinds };
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
