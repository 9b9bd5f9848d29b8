import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import { programOfReader } from '../../fleet/bots/active-program.ts';
import type { DeadEntry, HistoryEntry } from './stream/history-codec.ts';

/** The program that gave an update up; null if it was another reader. */
export function programOf({ reader }: DeadEntry): number | null {
  return programOfReader(reader);
}

/**
 * Of the programs whose dead letters are among the entries, those that exist. They are locked against deletion until the
 * transaction ends, because a deletion must find all their dead letters.
 */
export async function lockPrograms(db: Database, entries: readonly HistoryEntry[]): Promise<Set<number>> {
  const ids = entries.flatMap((entry) => (entry.type === 'dead' ? (programOf(entry) ?? []) : []));
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ id: number }>`
    select id from programs where id = any(${[...new Set(ids)]}::bigint[]) order by id for key share`.execute(db);
  return new Set(rows.map(({ id }) => id));
}
