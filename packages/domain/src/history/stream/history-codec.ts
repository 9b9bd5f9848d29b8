import { reasonCode } from '@flotilla/contract/deliveries.ts';
import type { DeliveryFailure } from '../../update-log/delivery-failure.ts';
import type { RouteLink } from '../route-links.ts';
import type { CallActor, SeenCall } from './captured-call.ts';

interface EntryOrigin {
  /** '<shard>:<stream id>': unique, and the same when the entry is read again. */
  key: string;
  botId: number;
  /** Of the bot's registration; an entry of another one is dropped. */
  registrationId: string;
  /** When it was accepted or captured; Unix ms. */
  atMs: number;
  /** Its W3C traceparent, when it was traced. */
  traceparent?: string;
}

/** An update as the log accepted it. */
export type UpdateEntry = EntryOrigin & { type: 'update'; updateId: number; raw: string };

/** A call that went through the proxy and succeeded; `result` is the raw JSON of the platform's `result`. */
export type CallEntry = EntryOrigin & {
  type: 'call';
  method: string;
  params: Record<string, string>;
  result: string;
  actor?: CallActor;
  /** The key under which its audit entry is stored once; without it the entry's key. */
  callId?: string;
};

/** An update that a reader gave up. */
export type DeadEntry = EntryOrigin & {
  type: 'dead';
  updateId: number;
  raw: string;
  reader: string;
  failure: DeliveryFailure;
};

/** A message that rules sent, and its source. */
export type LinkEntry = EntryOrigin & { type: 'link'; link: RouteLink };

/** What the history stream carries. */
export type HistoryEntry = UpdateEntry | CallEntry | DeadEntry | LinkEntry;

/** A record of the stream as Redis has it: names and values in turn. */
export type HistoryRecord = string[];

/**
 * The names of a record's fields in Redis. They are short, since every record has them, and never change: the releases
 * before and after this one read the same stream. A new field needs a name that its record does not have.
 */
const FIELDS = {
  any: { type: 't', botId: 'b', registrationId: 'g', atMs: 'a', traceparent: 'tp' },
  /** Written by accept-updates.lua, which makes the update's id. */
  update: { updateId: 'i', raw: 'u' },
  call: { method: 'm', params: 'p', result: 'r', actor: 'u', callId: 'c' },
  link: { link: 'l' },
  /** Written by lib/dead-letter.lua, in the step that takes the update from its reader. */
  dead: {
    ...{ updateId: 'i', raw: 'u', reader: 'd', reason: 'w', attempts: 'c', lastStatus: 's', code: 'code' },
    ...{ firstFailedAtMs: 'firstFailedAt', lastFailedAtMs: 'lastFailedAt', destinations: 'destinations' },
  },
} as const;

type RecordOwner = Pick<EntryOrigin, 'botId' | 'registrationId'>;

export function encodeCall(owner: RecordOwner, { method, params, result, actor, atMs, id }: SeenCall): HistoryRecord {
  const { call } = FIELDS;
  return [
    ...encodeOrigin('call', owner, atMs),
    ...[call.method, method, call.params, JSON.stringify(params), call.result, result],
    ...(actor === undefined ? [] : [call.actor, JSON.stringify(actor)]),
    ...(id === '' ? [] : [call.callId, id]),
  ];
}

export function encodeLink(owner: RecordOwner, link: RouteLink, atMs: number): HistoryRecord {
  return [...encodeOrigin('link', owner, atMs), FIELDS.link.link, JSON.stringify(link)];
}

/** Records as arguments of a script: the length of each, then the record itself (lib/history-records.lua). */
export function recordArguments(records: HistoryRecord[]): string[] {
  return records.flatMap((record) => [String(record.length), ...record]);
}

/** Reads a record of a shard's stream. Throws when it is malformed: the shard's turn then fails and repeats, and trims nothing. */
export function decodeRecord(shard: number, streamId: string, record: HistoryRecord): HistoryEntry {
  const fields = new Map<string, string>();
  for (let at = 0; at < record.length; at += 2) fields.set(record[at] as string, record[at + 1] as string);
  const text = (name: string) => fields.get(name) ?? '';
  const { any, update, call, link } = FIELDS;
  const traceparent = fields.get(any.traceparent);
  const origin: EntryOrigin = {
    key: `${shard}:${streamId}`,
    botId: Number(text(any.botId)),
    registrationId: text(any.registrationId),
    atMs: Number(text(any.atMs)),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
  switch (text(any.type)) {
    case 'call': {
      const [actor, callId] = [fields.get(call.actor), fields.get(call.callId)];
      return {
        ...origin,
        type: 'call',
        method: text(call.method),
        params: JSON.parse(text(call.params)),
        result: text(call.result),
        ...(actor === undefined ? {} : { actor: JSON.parse(actor) }),
        ...(callId === undefined ? {} : { callId }),
      };
    }
    case 'link':
      return { ...origin, type: 'link', link: JSON.parse(text(link.link)) };
    case 'dead':
      return { ...origin, type: 'dead', ...decodeDead(text) };
    default:
      return { ...origin, type: 'update', updateId: Number(text(update.updateId)), raw: text(update.raw) };
  }
}

function encodeOrigin(type: HistoryEntry['type'], { botId, registrationId }: RecordOwner, atMs: number): HistoryRecord {
  const { any } = FIELDS;
  return [any.type, type, any.botId, String(botId), any.registrationId, registrationId, any.atMs, String(atMs)];
}

function decodeDead(text: (name: string) => string): Pick<DeadEntry, 'updateId' | 'raw' | 'reader' | 'failure'> {
  const { dead } = FIELDS;
  const numberOrNull = (name: string) => (text(name) === '' ? null : Number(text(name)));
  return {
    updateId: Number(text(dead.updateId)),
    raw: text(dead.raw),
    reader: text(dead.reader),
    failure: {
      // Releases without codes wrote none, and a later release may write one that we do not know.
      code: reasonCode.catch('unknown').parse(text(dead.code)),
      reason: text(dead.reason),
      attempts: Number(text(dead.attempts)),
      lastStatus: numberOrNull(dead.lastStatus),
      firstFailedAtMs: numberOrNull(dead.firstFailedAtMs),
      lastFailedAtMs: numberOrNull(dead.lastFailedAtMs),
      destinations: text(dead.destinations) === '' ? [] : JSON.parse(text(dead.destinations)),
    },
  };
}
