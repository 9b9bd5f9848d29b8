/** What the queue needs besides an update's text. Times are milliseconds of the simulated clock. */
export type UpdateFacts = { lane: string; expiresAtMs: number };

const DAY_MS = 86_400_000;
const SHORT_LIVED_MS: Record<string, number> = {
  callback_query: 150_000,
  shipping_query: 150_000,
  pre_checkout_query: 150_000,
  chosen_inline_result: 600_000,
  inline_query: 30_000,
};
const BY_ARRIVAL = new Set([
  'poll',
  'poll_answer',
  'business_connection',
  'deleted_business_messages',
  'purchased_paid_media',
  'managed_bot',
  'subscription',
  'stopped_message_generation',
]);
const LANE_SOURCES: Record<string, [prefix: string, path: string[]]> = {
  inline_query: ['iq', ['from', 'id']],
  chosen_inline_result: ['ci', ['from', 'id']],
  callback_query: ['cb', ['from', 'id']],
  shipping_query: ['pay', ['from', 'id']],
  pre_checkout_query: ['pay', ['from', 'id']],
  poll: ['poll', ['id']],
  poll_answer: ['poll', ['poll_id']],
  chat_member: ['member', ['from', 'id']],
  chat_join_request: ['member', ['from', 'id']],
  my_chat_member: ['my', ['chat', 'id']],
  chat_boost: ['boost', ['chat', 'id']],
  removed_chat_boost: ['boost', ['chat', 'id']],
  message_reaction: ['re', ['chat', 'id']],
  message_reaction_count: ['rec', ['chat', 'id']],
  business_connection: ['bc', ['user', 'id']],
  business_message: ['b', ['chat', 'id']],
  edited_business_message: ['b', ['chat', 'id']],
  deleted_business_messages: ['b', ['chat', 'id']],
  purchased_paid_media: ['paid', ['from', 'id']],
  managed_bot: ['managed', ['user', 'id']],
  subscription: ['sub', ['user', 'id']],
  stopped_message_generation: ['stop', ['chat', 'id']],
  guest_message: ['guest', ['chat', 'id']],
};

/** Lane and expiry of an update that arrived at `arrivedAtMs` (Client.cpp:17053-17353). */
export function readUpdateFacts(kind: string, payload: unknown, arrivedAtMs: number): UpdateFacts {
  const [prefix, path] = LANE_SOURCES[kind] ?? ['c', ['chat', 'id']];
  return {
    lane: `${prefix}:${String(dig(payload, path) ?? kind)}`,
    expiresAtMs: expiryOf(kind, payload, arrivedAtMs),
  };
}

function expiryOf(kind: string, payload: unknown, arrivedAtMs: number): number {
  const shortLivedMs = SHORT_LIVED_MS[kind];
  if (shortLivedMs !== undefined) return arrivedAtMs + shortLivedMs;
  const dateS = dig(payload, ['edit_date']) ?? dig(payload, ['date']);
  if (BY_ARRIVAL.has(kind) || typeof dateS !== 'number') return arrivedAtMs + DAY_MS;
  return dateS * 1000 + DAY_MS;
}

function dig(value: unknown, path: string[]): unknown {
  let at = value;
  for (const step of path)
    at = typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[step] : undefined;
  return at;
}
