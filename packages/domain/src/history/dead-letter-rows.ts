import type { DeadLettersTable } from '@flotilla/database/tables.ts';
import type { Insertable } from 'kysely';
import type { DeadEntry, HistoryEntry } from './history-entry.ts';

export type DeadLetterRow = Insertable<DeadLettersTable>;

/** The row of an update another reader gave up. */
export function deadLetterOf(entry: DeadEntry): DeadLetterRow {
  return {
    bot_id: entry.botId,
    reader: entry.reader as DeadLetterRow['reader'],
    update_id: entry.updateId,
    payload: withoutNul(entry.raw),
    reason: withoutNul(entry.reason),
    attempts: entry.attempts,
    last_status: entry.lastStatus,
    created_at: new Date(entry.atMs),
    capture_key: entry.key,
  };
}

/** The row of an entry that history itself cannot keep; the payload of a call or a link is itself, its update id 0. */
export function refusedByHistory(entry: HistoryEntry, error: unknown): DeadLetterRow {
  const reason = error instanceof Error ? error.message : String(error);
  return {
    bot_id: entry.botId,
    reader: 'history',
    update_id: 'updateId' in entry ? entry.updateId : 0,
    payload: withoutNul(payloadOf(entry)),
    reason: withoutNul(reason),
    attempts: 1,
    last_status: null,
    created_at: new Date(entry.atMs),
    capture_key: entry.key,
  };
}

function payloadOf(entry: HistoryEntry): string {
  switch (entry.type) {
    case 'call':
      return JSON.stringify({ method: entry.method, params: entry.params, result: entry.result });
    case 'link':
      return JSON.stringify(entry.link);
    default:
      return entry.raw;
  }
}

function withoutNul(text: string): string {
  return text.replaceAll('\u0000', '');
}
