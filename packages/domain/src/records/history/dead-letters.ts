import type { Database } from '@flotilla/database/connect.ts';
import type { Tables } from '@flotilla/database/tables.ts';
import { chatIdOfJson } from '@flotilla/telegram/update-facts.ts';
import type { Insertable } from 'kysely';
import { leftByProgram } from '../retention/letters-of-program.ts';
import type { DeliveryFailure } from './delivery-failure.ts';
import type { DeadEntry, HistoryEntry, MalformedEntry } from './stream/history-codec.ts';

const NO_CHAT = 0;

export type DeadLetterRow = Insertable<Tables['dead_letters']>;

/** The row of an update that another reader gave up. */
export function deadLetterOf(entry: DeadEntry): DeadLetterRow {
  return {
    bot_id: entry.botId,
    reader: entry.reader as DeadLetterRow['reader'],
    update_id: entry.updateId,
    payload: withoutNul(entry.raw),
    ...failureColumns(entry.failure),
    exclusive: entry.exclusive,
    chat_id: chatIdOfJson(entry.raw) ?? NO_CHAT,
    created_at: new Date(entry.atMs),
    capture_key: entry.key,
  };
}

/** The row of an update that a program gave up which is deleted now; null if others have the update. */
export function deadLetterOfGone(entry: DeadEntry, programId: number): DeadLetterRow | null {
  if (!entry.exclusive) return null;
  return { ...deadLetterOf(entry), ...leftByProgram(programId, withoutNul(entry.failure.reason)) };
}

/** The row of a record that cannot be read. Its payload has the id in the stream and the fields as they are. */
export function malformedInHistory(entry: MalformedEntry): DeadLetterRow {
  return refusedByHistory(entry, `The record ${entry.key} of the history stream is malformed: ${entry.reason}`);
}

/** The row of an entry that history cannot keep. A call or a link is its own payload and has the update id 0. */
export function refusedByHistory(entry: HistoryEntry, error: unknown): DeadLetterRow {
  const reason = error instanceof Error ? error.message : String(error);
  return {
    bot_id: entry.botId,
    reader: 'history',
    update_id: 'updateId' in entry ? entry.updateId : 0,
    payload: withoutNul(payloadOf(entry)),
    reason: withoutNul(reason),
    reason_code: 'unstorable',
    attempts: 1,
    last_status: null,
    first_failed_at: null,
    last_failed_at: null,
    destinations: null,
    response_excerpt: null,
    chat_id: ('raw' in entry ? chatIdOfJson(entry.raw) : null) ?? NO_CHAT,
    created_at: new Date(entry.atMs),
    capture_key: entry.key,
  };
}

/** Stores dead letters; one that is stored already is not added again. */
export async function insertDeadLetters(db: Database, rows: DeadLetterRow[]): Promise<void> {
  await db
    .insertInto('dead_letters')
    .values(rows)
    .onConflict((conflict) => conflict.column('capture_key').doNothing())
    .execute();
}

function failureColumns({ code, reason, attempts, lastStatus, ...failure }: DeliveryFailure) {
  const { firstFailedAtMs, lastFailedAtMs, destinations, excerpt = null } = failure;
  return {
    reason_code: code,
    reason: withoutNul(reason),
    attempts,
    last_status: lastStatus,
    first_failed_at: firstFailedAtMs === null ? null : new Date(firstFailedAtMs),
    last_failed_at: lastFailedAtMs === null ? null : new Date(lastFailedAtMs),
    destinations: destinations.length === 0 ? null : withoutNul(JSON.stringify(destinations)),
    response_excerpt: excerpt === null ? null : withoutNul(excerpt),
  };
}

function payloadOf(entry: HistoryEntry): string {
  switch (entry.type) {
    case 'malformed':
      return JSON.stringify({ stream_id: entry.key, record: entry.record });
    case 'call':
      return JSON.stringify({ method: entry.method, params: entry.params, result: entry.result });
    case 'link':
      return JSON.stringify(entry.link);
    case 'lines':
      return JSON.stringify({ reader: entry.reader, lines: entry.lines });
    case 'hits':
      return JSON.stringify({ hits: entry.hits });
    default:
      return entry.raw;
  }
}

function withoutNul(text: string): string {
  return text.replaceAll('\u0000', '');
}
