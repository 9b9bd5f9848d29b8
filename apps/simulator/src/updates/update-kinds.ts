/** All update kinds in the platform's enum order (Client.h:1396-1425), without the internal custom ones. */
const UPDATE_KINDS = [
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

const ASKED_FOR_ONLY: ReadonlySet<string> = new Set(['chat_member', 'message_reaction', 'message_reaction_count']);
const KNOWN: ReadonlySet<string> = new Set(UPDATE_KINDS);

/** null is the default set: all kinds except the three that a bot must request (Client.h:1456-1459). */
export type AllowedUpdates = ReadonlySet<string> | null;

/** Unknown kinds pass the default filter, as new kinds of the platform would. */
export function allowsKind(allowed: AllowedUpdates, kind: string): boolean {
  return allowed === null ? !ASKED_FOR_ONLY.has(kind) : allowed.has(kind) || !KNOWN.has(kind);
}

/** Parses allowed_updates as Client.cpp:16889-16946 does: an invalid value leaves the stored one unchanged. */
export function readAllowedUpdates(raw: string, current: AllowedUpdates): AllowedUpdates {
  if (raw === '') return current;
  let names: unknown;
  try {
    names = JSON.parse(raw);
  } catch {
    return current;
  }
  if (!Array.isArray(names) || names.some((name) => typeof name !== 'string')) return current;
  const known = (names as string[]).map((name) => name.toLowerCase()).filter((name) => KNOWN.has(name));
  if (known.length === 0) return null;
  const chosen = new Set(known);
  return isDefaultSet(chosen) ? null : chosen;
}

function isDefaultSet(chosen: ReadonlySet<string>): boolean {
  return UPDATE_KINDS.every((kind) => chosen.has(kind) !== ASKED_FOR_ONLY.has(kind));
}
