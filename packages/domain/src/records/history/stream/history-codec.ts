import type { CallActor } from '@flotilla/contract/call-actor.ts';
import { reasonCode } from '@flotilla/contract/deliveries.ts';
import type { DeliveryFailure } from '../delivery-failure.ts';
import type { RouteLink } from '../route-links.ts';
import { type RuleHits, readHits } from '../rule-hits.ts';
import type { BufferedCall } from './captured-call.ts';

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
  captureKey?: string;
  /** Why `params` lacks parameters that the platform read. */
  incomplete?: string;
  /** The bot's program sent it in a chat that a person had taken over. */
  whileHeld?: true;
};

/** An update that a reader gave up. */
export type DeadEntry = EntryOrigin & {
  type: 'dead';
  updateId: number;
  raw: string;
  reader: string;
  failure: DeliveryFailure;
  /** True if the program that gave it up took it alone. */
  exclusive: boolean;
};

/** A message that rules sent, and its source. */
export type LinkEntry = EntryOrigin & { type: 'link'; link: RouteLink };

/** Lines of the journal of a reader, the newest first, which Redis keeps no longer. */
export type LinesEntry = EntryOrigin & { type: 'lines'; reader: string; lines: string };

/** Rules that acted on messages since the last such record of their turn. */
export type HitsEntry = EntryOrigin & { type: 'hits'; hits: RuleHits[] };

/** A record that cannot be read: it was damaged, or a later release wrote it. The bot is 0 if that cannot be read. */
export type MalformedEntry = EntryOrigin & { type: 'malformed'; record: HistoryRecord; reason: string };

/** The records of the history stream. */
export type HistoryEntry = UpdateEntry | CallEntry | DeadEntry | LinkEntry | LinesEntry | HitsEntry | MalformedEntry;

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
  /** Written by append-calls.lua. */
  call: { method: 'm', params: 'p', result: 'r', actor: 'u', captureKey: 'c', incomplete: 'n', whileHeld: 'h' },
  link: { link: 'l' },
  /** Written by lib/journal.lua. */
  lines: { reader: 'd', lines: 'l' },
  /** Written by lib/rule-hits.lua. */
  hits: { hits: 'h' },
  /** Written by lib/dead-letter.lua, in the step that takes the update from its reader. */
  dead: {
    ...{ updateId: 'i', raw: 'u', reader: 'd', reason: 'w', attempts: 'c', lastStatus: 's', code: 'code' },
    ...{ firstFailedAtMs: 'firstFailedAt', lastFailedAtMs: 'lastFailedAt', destinations: 'destinations' },
    ...{ excerpt: 'excerpt', exclusive: 'exclusive' },
  },
} as const;

type RecordOwner = Pick<EntryOrigin, 'botId' | 'registrationId'>;

/**
 * Calls as arguments of append-calls.lua, which makes the records: one text for each, because 20,000 a second pass here.
 * Only the result, which the platform wrote, may have line breaks.
 */
export function callArguments(calls: BufferedCall[]): string[] {
  return calls.map(({ method, params, result, actor, atMs, captureKey, incomplete = '' }) => {
    const by = actor === undefined ? '' : JSON.stringify(actor);
    return `${atMs}\n${method}\n${JSON.stringify(params)}\n${by}\n${captureKey}\n${incomplete}\n${result}`;
  });
}

export function encodeLink(owner: RecordOwner, link: RouteLink, atMs: number): HistoryRecord {
  const { any, link: own } = FIELDS;
  return [
    ...[any.type, 'link', any.botId, String(owner.botId), any.registrationId, owner.registrationId],
    ...[any.atMs, String(atMs), own.link, JSON.stringify(link)],
  ];
}

/** Records as arguments of a script: the length of each, then the record itself (lib/history-records.lua). */
export function recordArguments(records: HistoryRecord[]): string[] {
  return records.flatMap((record) => [String(record.length), ...record]);
}

/** Reads a record of a shard's stream. Never throws, because one malformed record must not stop those behind it. */
export function readRecord(shard: number, streamId: string, record: HistoryRecord): HistoryEntry {
  try {
    return decodeRecord(shard, streamId, record);
  } catch (error) {
    const { any } = FIELDS;
    const fields = fieldsOf(record);
    const botId = Number(fields.get(any.botId));
    return {
      type: 'malformed',
      key: `${shard}:${streamId}`,
      botId: Number.isSafeInteger(botId) && botId > 0 ? botId : 0,
      registrationId: fields.get(any.registrationId) ?? '',
      atMs: Number.parseInt(streamId, 10),
      record,
      // A parser quotes the text it cannot read, and reasons are logged.
      reason: error instanceof SyntaxError || !(error instanceof Error) ? 'a field is not JSON' : error.message,
    };
  }
}

/** Reads a record of a shard's stream. Throws when it is malformed. */
export function decodeRecord(shard: number, streamId: string, record: HistoryRecord): HistoryEntry {
  const fields = fieldsOf(record);
  const text = (name: string) => fields.get(name) ?? '';
  const required = (name: string, meaning: string) => {
    const value = fields.get(name);
    if (value === undefined || value === '') throw new Error(`the record has no ${meaning} (${name})`);
    return value;
  };
  const integer = (name: string, meaning: string) => {
    const value = Number(required(name, meaning));
    if (!Number.isSafeInteger(value)) throw new Error(`the ${meaning} (${name}) of the record is not an integer`);
    return value;
  };
  const { any, update, call, link } = FIELDS;
  const traceparent = fields.get(any.traceparent);
  const origin: EntryOrigin = {
    key: `${shard}:${streamId}`,
    botId: integer(any.botId, 'bot id'),
    registrationId: required(any.registrationId, 'registration id'),
    atMs: integer(any.atMs, 'time'),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
  const kind = required(any.type, 'kind');
  switch (kind) {
    case 'call': {
      const [actor, captureKey] = [fields.get(call.actor), fields.get(call.captureKey)];
      const incomplete = fields.get(call.incomplete);
      return {
        ...origin,
        type: 'call',
        method: required(call.method, 'method'),
        params: JSON.parse(required(call.params, 'parameters')),
        result: required(call.result, 'result'),
        ...(actor === undefined ? {} : { actor: JSON.parse(actor) }),
        ...(captureKey === undefined ? {} : { captureKey }),
        ...(incomplete === undefined ? {} : { incomplete }),
        ...(fields.has(call.whileHeld) ? { whileHeld: true as const } : {}),
      };
    }
    case 'link':
      return { ...origin, type: 'link', link: linkIn(required(link.link, 'link')) };
    case 'lines':
      return {
        ...origin,
        type: 'lines',
        reader: required(FIELDS.lines.reader, 'reader'),
        lines: required(FIELDS.lines.lines, 'lines'),
      };
    case 'hits':
      return { ...origin, type: 'hits', hits: readHits(required(FIELDS.hits.hits, 'hits')) };
    case 'dead':
      required(FIELDS.dead.raw, 'update');
      integer(FIELDS.dead.updateId, 'update id');
      return { ...origin, type: 'dead', ...decodeDead(text) };
    case 'update':
      return {
        ...origin,
        type: 'update',
        updateId: integer(update.updateId, 'update id'),
        raw: required(update.raw, 'update'),
      };
    default:
      throw new Error(`the record is of the unknown kind ${kind.slice(0, 64)}`);
  }
}

function fieldsOf(record: HistoryRecord): Map<string, string> {
  const fields = new Map<string, string>();
  for (let at = 0; at < record.length; at += 2) fields.set(record[at] as string, record[at + 1] as string);
  return fields;
}

function linkIn(text: string): RouteLink {
  const link = JSON.parse(text) as Partial<RouteLink> | null;
  for (const end of ['source', 'target'] as const) {
    const { botId, chatId, messageId, businessConnectionId } = link?.[end] ?? {};
    if (![botId, chatId, messageId].every(Number.isSafeInteger) || typeof businessConnectionId !== 'string') {
      throw new Error(`the link has no ${end}`);
    }
  }
  return link as RouteLink;
}

function decodeDead(
  text: (name: string) => string,
): Pick<DeadEntry, 'updateId' | 'raw' | 'reader' | 'failure' | 'exclusive'> {
  const { dead } = FIELDS;
  const numberOrNull = (name: string) => (text(name) === '' ? null : Number(text(name)));
  return {
    updateId: Number(text(dead.updateId)),
    raw: text(dead.raw),
    reader: text(dead.reader),
    exclusive: text(dead.exclusive) === '1',
    failure: {
      // A later release may write one that we do not know.
      code: reasonCode.catch('unknown').parse(text(dead.code)),
      reason: text(dead.reason),
      attempts: Number(text(dead.attempts)),
      lastStatus: numberOrNull(dead.lastStatus),
      firstFailedAtMs: numberOrNull(dead.firstFailedAtMs),
      lastFailedAtMs: numberOrNull(dead.lastFailedAtMs),
      destinations: text(dead.destinations) === '' ? [] : JSON.parse(text(dead.destinations)),
      excerpt: text(dead.excerpt) === '' ? null : text(dead.excerpt),
    },
  };
}
