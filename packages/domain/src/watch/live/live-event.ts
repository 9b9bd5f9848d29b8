import { shardOf } from '@flotilla/redis/keys.ts';
import { CAPTURED_METHOD_NAMES } from '@flotilla/telegram/captured-methods.ts';
import { chatIdOfResult, chatIdOfUpdate, connectionOfUpdate } from '@flotilla/telegram/chat-id.ts';
import { readUpdateFacts } from '@flotilla/telegram/update-facts.ts';
import { presentReader } from '../../delivery/deliveries/reader-name.ts';
import { connectionParam } from '../../records/chats/conversation.ts';
import { decodeRecord } from '../../records/history/stream/history-codec.ts';
import { readAttemptLine } from '../../records/journal/attempt-line.ts';

/** An event of a bot, as its watchers get it. */
export type LiveEvent = {
  /** The id of its entry in the bot's live stream; they rise. */
  id: string;
  name: 'update' | 'call' | 'attempt' | 'route' | 'broadcast';
  chatId: number | null;
  /** JSON on one line. */
  data: string;
  /** Its length in UTF-8. */
  bytes: number;
};

/** An entry whose event was too large to be kept. */
export type OmittedEvent = { id: string; name: 'omitted' };

export type LiveEvents = readonly (LiveEvent | OmittedEvent)[];

export type LiveEntry = [id: string, record: string[]];

const METHOD_NAMES = new Map(CAPTURED_METHOD_NAMES.map((name) => [name.toLowerCase(), name]));

/** The event of an entry of a bot's live stream; null for an entry without one. Throws when it is malformed. */
export function decodeLiveEntry(botId: number, [id, record]: LiveEntry): LiveEvent | OmittedEvent | null {
  const [, type, , first = '', , line = ''] = record;
  switch (type) {
    case 'begin':
      return null;
    case 'omitted':
      return { id, name: 'omitted' };
    case 'attempt':
      return attemptEvent(botId, id, first, line);
    case 'broadcast':
      return liveEvent(id, 'broadcast', null, first);
    case 'route':
      return liveEvent(id, 'route', (JSON.parse(first) as { chat_id: number }).chat_id, first);
    default:
      return eventOfRecord(botId, id, record);
  }
}

function liveEvent(id: string, name: LiveEvent['name'], chatId: number | null, data: string): LiveEvent {
  return { id, name, chatId, data, bytes: Buffer.byteLength(data) };
}

function attemptEvent(bot_id: number, id: string, reader: string, line: string): LiveEvent | null {
  const attempt = readAttemptLine(line);
  if (attempt === null || attempt.outcome === 'dropped') return null;
  const { updateId, status, durationMs, error, call_error, destination } = attempt;
  const shown = { bot_id, ...presentReader(reader), update_id: updateId, ok: attempt.outcome === 'delivered' };
  // JSON leaves undefined fields out.
  const result = {
    status,
    duration_ms: durationMs,
    attempt: attempt.attempt,
    destination,
    error,
    call_error,
  };
  return liveEvent(id, 'attempt', null, JSON.stringify({ ...shown, ...result }));
}

function eventOfRecord(bot_id: number, id: string, record: string[]): LiveEvent | null {
  const entry = decodeRecord(shardOf(bot_id), id, record);
  switch (entry.type) {
    case 'update': {
      const update = JSON.parse(entry.raw);
      const { kind } = readUpdateFacts(update);
      const chatId = chatIdOfUpdate(update, kind);
      const fields = {
        bot_id,
        update_id: entry.updateId,
        kind,
        ...connectionParam(connectionOfUpdate(update, kind)),
      };
      return liveEvent(id, 'update', chatId, withRaw(fields, chatId, 'update', entry.raw));
    }
    case 'call': {
      const chat_id = chatIdOfResult(JSON.parse(entry.result), entry.params.chat_id);
      const { programId, program } = entry.actor ?? {};
      const fields = {
        bot_id,
        method: METHOD_NAMES.get(entry.method) ?? entry.method,
        ...connectionParam(entry.params.business_connection_id ?? ''),
        ...(programId === undefined ? {} : { program_id: programId, program }),
      };
      return liveEvent(id, 'call', chat_id, withRaw(fields, chat_id, 'result', entry.result));
    }
    default:
      return null;
  }
}

/** The platform's own text keeps its bytes, but for line breaks between its tokens, which would end the event. */
function withRaw(fields: object, chat_id: number | null, name: string, raw: string): string {
  const known = JSON.stringify({ ...fields, ...(chat_id === null ? {} : { chat_id }) });
  return `${known.slice(0, -1)},"${name}":${raw.replace(/[\r\n]+/g, ' ')}}`;
}
