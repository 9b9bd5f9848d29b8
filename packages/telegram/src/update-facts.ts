import { chatIdOfUpdate } from './chat-id.ts';
import { sliceUpdate } from './slice-updates.ts';

const DAY_MS = 86_400_000;

export interface UpdateFacts {
  /** The name of the payload: the first key besides update_id, or '' when there is none. */
  kind: string;
  /** Updates of one lane are delivered in order. Lanes are delivered in parallel. */
  lane: string;
  /** How long the update is worth delivering, from its arrival. */
  keepMs: number;
  /** The end of that from the date of its event (Unix ms); null when it has none. */
  expiresAtMs: number | null;
}

type Fields = Record<string, unknown>;

interface KindRule {
  lane(payload: Fields): string | null;
  /** The lifetime from the update's arrival. Without it, the update lives a day from the date of its event. */
  keepMs?: number;
}

const chatLane = (prefix: string) => (payload: Fields) => laneOf(prefix, field(payload, 'chat'));
const userLane =
  (prefix: string, key = 'from') =>
  (payload: Fields) =>
    laneOf(prefix, field(payload, key));

const inChat: KindRule = { lane: chatLane('c') };
const KIND_RULES: Record<string, KindRule> = {
  message: inChat,
  edited_message: inChat,
  channel_post: inChat,
  edited_channel_post: inChat,
  guest_message: inChat,
  my_chat_member: inChat,
  business_message: { lane: chatLane('bm') },
  edited_business_message: { lane: chatLane('bm') },
  deleted_business_messages: { lane: chatLane('bm'), keepMs: DAY_MS },
  inline_query: { lane: userLane('iq'), keepMs: 30_000 },
  chosen_inline_result: { lane: userLane('ci'), keepMs: 600_000 },
  callback_query: { lane: userLane('cb'), keepMs: 150_000 },
  shipping_query: { lane: userLane('pay'), keepMs: 150_000 },
  pre_checkout_query: { lane: userLane('pay'), keepMs: 150_000 },
  poll: { lane: (payload) => laneOf('poll', payload), keepMs: DAY_MS },
  poll_answer: { lane: (payload) => laneOf('poll', { id: payload.poll_id }), keepMs: DAY_MS },
  chat_member: { lane: userLane('mem') },
  chat_join_request: { lane: userLane('mem') },
  chat_boost: { lane: chatLane('boost') },
  removed_chat_boost: { lane: chatLane('boost') },
  message_reaction: { lane: chatLane('react') },
  message_reaction_count: { lane: chatLane('rcount') },
  business_connection: { lane: userLane('bc', 'user'), keepMs: DAY_MS },
  purchased_paid_media: { lane: userLane('paid'), keepMs: DAY_MS },
  managed_bot: { lane: userLane('mb', 'user'), keepMs: DAY_MS },
  subscription: { lane: userLane('sub', 'user'), keepMs: DAY_MS },
  // Not among the messages of the chat: it stops the answer to the one that the backend still works on.
  stopped_message_generation: { lane: chatLane('stop'), keepMs: DAY_MS },
};

/**
 * The facts of an update that the log needs, read from its parsed form. Never throws: an unknown kind has a lane of its
 * own and lives a day from its arrival.
 */
export function readUpdateFacts(update: Record<string, unknown>): UpdateFacts {
  const kind = Object.keys(update).find((key) => key !== 'update_id') ?? '';
  const payload = field(update, kind);
  const rule = Object.hasOwn(KIND_RULES, kind) ? KIND_RULES[kind] : undefined;
  if (rule === undefined) return { kind, lane: `k:${kind}`, keepMs: DAY_MS, expiresAtMs: null };
  const lane = rule.lane(payload) ?? `k:${kind}`;
  if (rule.keepMs !== undefined) return { kind, lane, keepMs: rule.keepMs, expiresAtMs: null };
  const dateS = eventDateS(payload);
  return { kind, lane, keepMs: DAY_MS, expiresAtMs: dateS === null ? null : Math.floor(dateS * 1000) + DAY_MS };
}

// chat_boost and removed_chat_boost have their dates under other names.
function eventDateS(payload: Fields): number | null {
  const dates = [payload.edit_date, payload.date, payload.remove_date, field(payload, 'boost').add_date];
  return dates.find((date): date is number => typeof date === 'number' && Number.isFinite(date)) ?? null;
}

const CHAT_LANES = ['c', 'bm', 'boost', 'react', 'rcount', 'stop'];
/** Kinds that happen in a chat and have lanes of users. */
const KINDS_IN_CHAT = ['callback_query', 'chat_member', 'my_chat_member', 'chat_join_request'];

/** The chat of an update of this kind and lane, or null. Only few kinds need the update itself. */
export function chatOfUpdate(kind: string, lane: string, raw: string): number | null {
  const [prefix = '', id = ''] = lane.split(':');
  if (CHAT_LANES.includes(prefix) && Number.isSafeInteger(Number(id))) return Number(id);
  if (!KINDS_IN_CHAT.includes(kind)) return null;
  return chatIdOfUpdate(sliceUpdate(raw)?.value ?? {}, kind);
}

function laneOf(prefix: string, owner: Fields): string | null {
  const { id } = owner;
  return typeof id === 'number' || typeof id === 'string' ? `${prefix}:${id}` : null;
}

function field(object: Fields, key: string): Fields {
  const value = object[key];
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** The chat of an update that is given as JSON; null when it has none, or is no JSON. */
export function chatIdOfJson(json: string): number | null {
  try {
    const update = JSON.parse(json) as Fields;
    return chatIdOfUpdate(update, readUpdateFacts(update).kind);
  } catch {
    return null;
  }
}
