import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@flotilla/database/connect.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import type { TurnLease, TurnOutcome } from '@flotilla/redis/turn-worker.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { Span, Tracing } from '@flotilla/runtime/tracing.ts';
import type { DeadLetterLog } from './dead-letter-log.ts';
import { type SharedWrites, sharedWrites } from './shared-writes.ts';
import type { HistoryEntry } from './stream/history-codec.ts';
import { clearPendingTurn, type HistoryReader, renewPendingTurn, trimHistoryStream } from './stream/history-stream.ts';
import { writeHistory } from './write-history.ts';

const BATCH = 500;
/** Transactions at once, while there is a backlog. */
const WRITES_AT_ONCE = 2;
/** Half a minute, after which another worker may take the shard. To begin a turn and to end it takes some 40 commands in Redis. */
const TURN_BATCHES = 60;
/** Two seconds, of the five after which upkeep takes a pending turn for a lost one. */
const RENEW_EVERY_BATCHES = 4;
/** Records that arrive within this time are written together. */
const GATHER_MS = 500;
/** Shards write group by group within that time: what many of them write at once holds up deliveries of the process. */
const SHARD_GROUPS = 4;
/** Shards whose time has come read within this time, and are written together. */
const READING_MS = 25;
const POSTGRES_AWAY_PAUSE_MS = 1_000;

/** The metrics of the turn, by the names that the worker has for them. */
type HistoryMetrics = {
  historyRows: { inc(by: number): void };
  historyLag: { observe(seconds: number): void };
  historyBatches: { inc(labels: { outcome: 'written' | 'waits' }): void };
  deadLetters: { inc(labels: { reader: string; reason: string }, by?: number): void };
};
type StoreDeps = { db: Database; log: Logger; measure: HistoryMetrics; deadLetters: Pick<DeadLetterLog, 'add'> };
type TurnDeps = {
  redis: RedisHandles;
  historyReader: HistoryReader;
  storeHistory: SharedWrites<HistoryEntry>;
  tracing: Tracing | null;
  measure: HistoryMetrics;
  clock: Clock;
  log: Logger;
};

/** Stores the entries of the turns of all shards in transactions that they share, over a pool of `maxConnections`. */
export function historyStore(deps: StoreDeps, maxConnections: number): SharedWrites<HistoryEntry> {
  // More transactions than connections would only wait and time out. One connection is left to the rest of the process.
  const atOnce = Math.max(1, Math.min(WRITES_AT_ONCE, maxConnections - 1));
  return sharedWrites({ atOnce, size: BATCH, gatherMs: READING_MS }, (entries) => write(deps, entries));
}

/**
 * Puts one shard's history stream into Postgres, in batches. Writing a batch a second time changes nothing. The turn
 * goes on while records come, because a new turn every half second would cost more than storing its records.
 */
export async function historyTurn(deps: TurnDeps, shard: number, lease: TurnLease): Promise<TurnOutcome> {
  let isBacklog = false;
  for (let batches = 0; batches < TURN_BATCHES; batches += 1) {
    if (!isBacklog) await timeToWrite(shard);
    if (!lease.ownsTurn()) break;
    await deps.historyReader.reserve(BATCH);
    const stored = await storeBatch(deps, shard);
    if (stored === 'nothing') return (await clearPendingTurn(deps.redis, shard)) ? { next: 'again' } : { next: 'idle' };
    if (stored === 'failed') return { next: 'at', atMs: deps.clock.nowMs() + POSTGRES_AWAY_PAUSE_MS };
    await trimHistoryStream(deps.redis, shard, stored.newestId);
    deps.measure.historyRows.inc(stored.rows);
    if ((batches + 1) % RENEW_EVERY_BATCHES === 0) await renewPendingTurn(deps.redis, shard);
    isBacklog = stored.count === BATCH;
  }
  return { next: 'again' };
}

/**
 * Stores the oldest entries of a shard, as many as were reserved. A function of its own, begun when they can be read, because a
 * suspended function keeps its variables in memory (ADR 44).
 */
async function storeBatch(
  deps: TurnDeps,
  shard: number,
): Promise<{ count: number; rows: number; newestId: string } | 'nothing' | 'failed'> {
  const found = await deps.historyReader.read(shard, BATCH);
  try {
    const newest = found.at(-1);
    if (!newest) return 'nothing';
    const entries = found.map(({ entry }) => entry);
    if (!(await tryToStore(deps, shard, entries))) return 'failed';
    for (const { atMs } of entries) {
      deps.measure.historyLag.observe(Math.max(0, deps.clock.nowMs() - atMs) / 1000);
    }
    // Pages of the journal and hits of rules are no part of the history.
    const rows = entries.filter(({ type }) => type !== 'lines' && type !== 'hits').length;
    return { count: found.length, rows, newestId: newest.id };
  } finally {
    deps.historyReader.release(found.length);
  }
}

async function tryToStore(deps: TurnDeps, shard: number, entries: HistoryEntry[]): Promise<boolean> {
  const span = beginSpan(deps, entries);
  try {
    await deps.storeHistory(entries);
    span?.end();
    return true;
  } catch (error) {
    span?.end('failed');
    deps.log.warn({ shard, reason: String(error) }, 'history waits for Postgres');
    return false;
  }
}

/** The same moments for all shards of a group in this process, so that they share transactions. */
function timeToWrite(shard: number): Promise<void> {
  const offsetMs = ((shard % SHARD_GROUPS) * GATHER_MS) / SHARD_GROUPS;
  return delay(GATHER_MS - ((performance.now() + offsetMs) % GATHER_MS));
}

/** A batch holds updates of many traces, so it has a trace of its own, with links to theirs. */
function beginSpan({ tracing }: TurnDeps, entries: HistoryEntry[]): Span | null {
  if (tracing === null) return null;
  const links = [...new Set(entries.flatMap(({ traceparent }) => traceparent ?? []))];
  return tracing.start('store history', {
    kind: 'consumer',
    links,
    attributes: { 'flotilla.entries': entries.length },
  });
}

async function write(deps: StoreDeps, entries: HistoryEntry[]): Promise<void> {
  const { refused } = await writeHistory(deps, entries).catch((error) => {
    deps.measure.historyBatches.inc({ outcome: 'waits' });
    throw error;
  });
  deps.measure.historyBatches.inc({ outcome: 'written' });
  if (refused > 0) deps.measure.deadLetters.inc({ reader: 'history', reason: 'unstorable' }, refused);
  const letters = entries.filter((entry) => entry.type === 'dead');
  // All programs are one reader here: a name of each would be a series of each.
  const kindOf = (reader: string) => reader.replace(/:\d+$/, '');
  for (const { reader, failure } of letters) {
    deps.measure.deadLetters.inc({ reader: kindOf(reader), reason: failure.code });
  }
  if (letters.length > 0) {
    deps.deadLetters.add(
      letters.map(({ botId, reader, failure }) => ({ botId, reader: kindOf(reader), code: failure.code })),
    );
  }
}
