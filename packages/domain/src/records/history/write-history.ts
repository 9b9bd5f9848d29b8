import type { Database } from '@flotilla/database/connect.ts';
import { readSqlState } from '@flotilla/database/is-unavailable.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import { type DeadLetterRow, insertDeadLetters, refusedByHistory } from './dead-letters.ts';
import { lockBots } from './lock-bots.ts';
import type { HistoryEntry } from './stream/history-codec.ts';
import { writeBatch } from './write-batch.ts';

export interface WriteHistoryDeps {
  db: Database;
  log: Logger;
}

/**
 * How many entries became dead letters because the history cannot keep them, and how many messages replaced older ones
 * with the same id.
 */
export type Written = { refused: number; replaced: number };

const CONTENTION_TRIES = 5;
// SQLSTATE: serialization failure, deadlock, lock not available.
const CONTENTION_CODES = ['40001', '40P01', '55P03'];
// SQLSTATE classes that blame the data: data exception, integrity violation, program limit exceeded.
const DATA_CLASSES = ['22', '23', '54'];

/**
 * Puts entries, in order for each bot, into Postgres; writing them again changes nothing. One that Postgres refuses is
 * found by halving and becomes a dead letter; those of unknown bots, other registrations, and bots without history are
 * dropped. Throws when Postgres cannot serve.
 */
export async function writeHistory(deps: WriteHistoryDeps, entries: readonly HistoryEntry[]): Promise<Written> {
  const [first] = entries;
  if (first === undefined) return { refused: 0, replaced: 0 };
  const outcome = await tryBatch(deps, entries);
  if (outcome.type === 'written') return outcome;
  if (entries.length === 1) {
    await giveUp(deps, refusedByHistory(first, outcome.error));
    return { refused: 1, replaced: 0 };
  }
  const half = Math.ceil(entries.length / 2);
  const one = await writeHistory(deps, entries.slice(0, half));
  const other = await writeHistory(deps, entries.slice(half));
  return { refused: one.refused + other.refused, replaced: one.replaced + other.replaced };
}

async function tryBatch(
  deps: WriteHistoryDeps,
  entries: readonly HistoryEntry[],
): Promise<({ type: 'written' } & Written) | { type: 'refused'; error: unknown }> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { refused, replaced } = await writeBatch(deps.db, entries);
      for (const row of refused) logDeadLetter(deps, row);
      if (replaced > 0)
        deps.log.warn({ replaced }, 'message ids were used again: the newer messages replace the older');
      return { type: 'written', refused: refused.length, replaced };
    } catch (error) {
      if (CONTENTION_CODES.includes(readSqlState(error)) && attempt < CONTENTION_TRIES) continue;
      if (!isDataFault(error)) throw error;
      return { type: 'refused', error };
    }
  }
}

async function giveUp(deps: WriteHistoryDeps, row: DeadLetterRow): Promise<void> {
  logDeadLetter(deps, row);
  try {
    await deps.db.transaction().execute(async (transaction) => {
      if ((await lockBots(transaction, [row.bot_id])).size > 0) await insertDeadLetters(transaction, [row]);
    });
  } catch (error) {
    if (!isDataFault(error)) throw error;
    // Postgres refuses even the dead letter. Waiting would stop the stream for good, so it is logged and dropped.
    deps.log.error(
      { err: error, bot: row.bot_id, capture_key: row.capture_key },
      'a failed delivery could not be kept',
    );
  }
}

function logDeadLetter({ log }: WriteHistoryDeps, row: DeadLetterRow): void {
  const { bot_id: bot, update_id, capture_key, reason } = row;
  log.warn({ bot, update_id, capture_key, reason }, 'the history cannot keep an entry: it becomes a failed delivery');
}

// Only an error about the data makes a dead letter. Any other one (no connection, a missing column, our own fault) must
// stop the writer: that loses nothing, while dead letters would empty the stream.
function isDataFault(error: unknown): boolean {
  return DATA_CLASSES.includes(readSqlState(error).slice(0, 2));
}
