import { CHAT_LANES, kindFacts, UPDATE_KINDS } from '@flotilla/contract/bot-api/update-kinds.ts';
import { chatIdOfUpdate } from './chat-id.ts';
import { sliceUpdate } from './slice-updates.ts';

const DAY_S = 86_400;
const INLINE_QUERY_S = 30;

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

/**
 * The facts of an update that the log needs, read from its parsed form. Never throws: an unknown kind has what its
 * fields and its name tell.
 */
export function readUpdateFacts(update: Record<string, unknown>): UpdateFacts {
  const kind = Object.keys(update).find((key) => key !== 'update_id') ?? '';
  const payload = field(update, kind);
  const facts = kindFacts(kind);
  const lane = facts === undefined ? laneOfUnknown(kind, payload) : (LANES.get(kind)?.(payload) ?? `k:${kind}`);
  const keepS = facts === undefined ? keepOfUnknownS(kind) : facts.keepS;
  if (keepS !== undefined) return { kind, lane, keepMs: keepS * 1000, expiresAtMs: null };
  const dateS = eventDateS(payload);
  return {
    kind,
    lane,
    keepMs: DAY_S * 1000,
    expiresAtMs: dateS === null ? null : Math.floor((dateS + DAY_S) * 1000),
  };
}

/** Who did it, in the chat where it happened: nobody waits for what others did. */
function laneOfUnknown(kind: string, payload: Fields): string {
  const chat = idIn(field(payload, 'chat')) || idIn(field(field(payload, 'message'), 'chat'));
  const person = idIn(field(payload, 'from')) || idIn(field(payload, 'user'));
  return chat === '' && person === '' ? `k:${kind}` : `k:${kind}:${chat}:${person}`;
}

function idIn({ id }: Fields): string {
  return Number.isSafeInteger(id) ? String(id) : '';
}

/** A person waits for the answer to a query. */
function keepOfUnknownS(kind: string): number {
  return kind.endsWith('_query') ? INLINE_QUERY_S : DAY_S;
}

/** How each kind tells its lane; null without an owner. */
const LANES: ReadonlyMap<string, (payload: Fields) => string | null> = new Map(
  UPDATE_KINDS.map((kind) => [kind, laneReader(kindFacts(kind)!.lane)]),
);

function laneReader(lane: string): (payload: Fields) => string | null {
  const [prefix = '', path = ''] = lane.split(':');
  const [owner = '', id] = path.split('.');
  return (payload) => laneOf(prefix, id === undefined ? payload[owner] : field(payload, owner)[id]);
}

// chat_boost and removed_chat_boost have their dates under other names.
function eventDateS(payload: Fields): number | null {
  const dates = [payload.edit_date, payload.date, payload.remove_date, field(payload, 'boost').add_date];
  return dates.find((date): date is number => typeof date === 'number' && Number.isFinite(date)) ?? null;
}

/** The chat of an update of this kind and lane, or null. Only few kinds need the update itself. */
export function chatOfUpdate(kind: string, lane: string, raw: string): number | null {
  const [prefix = '', id = ''] = lane.split(':');
  if (CHAT_LANES.includes(prefix) && Number.isSafeInteger(Number(id))) return Number(id);
  const facts = kindFacts(kind);
  if (facts !== undefined && facts.inChat !== true) return null;
  return chatIdOfUpdate(sliceUpdate(raw)?.value ?? {}, kind);
}

function laneOf(prefix: string, id: unknown): string | null {
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
