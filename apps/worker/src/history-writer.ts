import { reasonCode } from '@flotilla/contract/deliveries.ts';
import type { HistoryEntry } from '@flotilla/domain/history/history-entry.ts';
import { writeHistory } from '@flotilla/domain/history/write-history.ts';
import type { DeliveryFailure } from '@flotilla/domain/update-log/delivery-failure.ts';
import {
  clearHistoryMark,
  readHistoryStream,
  type StreamEntry,
  trimHistoryStream,
} from '@flotilla/redis/history-stream.ts';
import type { TurnLease, TurnOutcome } from '@flotilla/redis/turn-worker.ts';
import type { Span } from '@flotilla/runtime/tracing.ts';
import type { WorkerContext } from './context.ts';
import type { DeadLetterLog } from './dead-letter-log.ts';
import { type SharedWrites, sharedWrites } from './shared-writes.ts';

const BATCH = 500;
/** Transactions at once: with more of them each would be smaller, and every one costs Postgres and this process the same. */
const WRITES_AT_ONCE = 2;
const TURN_BATCHES = 20;
/** What arrives within this time is written together. */
const GATHER_MS = 500;
const POSTGRES_AWAY_PAUSE_MS = 1_000;

type StoreDeps = WorkerContext & { deadLetters: DeadLetterLog };
type HistoryDeps = WorkerContext & { storeHistory: SharedWrites<HistoryEntry> };

/** Stores what the turns of all shards hand over, in transactions that they share. */
export function historyStore(deps: StoreDeps): SharedWrites<HistoryEntry> {
  // More than the pool has would only wait for a connection, and time out; one is left to the rest of the process.
  const atOnce = Math.max(1, Math.min(WRITES_AT_ONCE, deps.config.database.maxConnections - 1));
  return sharedWrites({ atOnce, size: BATCH }, (entries) => write(deps, entries));
}

/** Puts one shard's history stream into Postgres, in batches; a batch that was written twice counts once. */
export async function historyTurn(deps: HistoryDeps, shard: number, lease: TurnLease): Promise<TurnOutcome> {
  await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
  for (let batches = 0; batches < TURN_BATCHES && lease.held(); batches += 1) {
    const entries = await readHistoryStream(deps.redis, shard, BATCH);
    const newest = entries.at(-1);
    if (!newest) return (await clearHistoryMark(deps.redis, shard)) ? { next: 'again' } : { next: 'idle' };
    const span = beginSpan(deps, entries);
    try {
      await deps.storeHistory(entries.map((entry) => historyEntry(shard, entry)));
      span?.end();
    } catch (error) {
      span?.end('failed');
      deps.log.warn({ shard, reason: String(error) }, 'history waits for Postgres');
      return { next: 'at', atMs: deps.clock.nowMs() + POSTGRES_AWAY_PAUSE_MS };
    }
    await trimHistoryStream(deps.redis, shard, newest.id);
    deps.measure.historyRows.inc(entries.length);
    for (const entry of entries) {
      deps.measure.historyLag.observe(Math.max(0, deps.clock.nowMs() - Number(entry.fields.a)) / 1000);
    }
  }
  return { next: 'again' };
}

/** What a shard has stored is of many traces: it has its own, and is linked to those whose updates they are. */
function beginSpan({ tracing }: WorkerContext, entries: StreamEntry[]): Span | null {
  if (tracing === null) return null;
  const links = [...new Set(entries.flatMap(({ fields }) => fields.tp ?? []))];
  return tracing.start('store history', {
    kind: 'consumer',
    links,
    attributes: { 'flotilla.entries': entries.length },
  });
}

async function write(deps: StoreDeps, entries: HistoryEntry[]): Promise<void> {
  const { refused, replaced } = await writeHistory(deps, entries).catch((error) => {
    deps.measure.historyBatches.waits.inc();
    throw error;
  });
  deps.measure.historyBatches.written.inc();
  if (refused > 0) deps.measure.deadLetters.of('history', 'unstorable').inc(refused);
  if (replaced > 0) deps.measure.historyReplaced.inc(replaced);
  const letters = entries.filter((entry) => entry.type === 'dead');
  for (const { reader, failure } of letters) deps.measure.deadLetters.of(reader, failure.code).inc();
  if (letters.length > 0) {
    deps.deadLetters.add(letters.map(({ botId, reader, failure }) => ({ botId, reader, code: failure.code })));
  }
}

function historyEntry(shard: number, { id, fields }: StreamEntry): HistoryEntry {
  const field = (name: string) => fields[name] ?? '';
  const common = {
    key: `${shard}:${id}`,
    botId: Number(field('b')),
    registrationId: field('g'),
    atMs: Number(field('a')),
  };
  switch (field('t')) {
    case 'call':
      return {
        ...common,
        type: 'call',
        method: field('m'),
        params: JSON.parse(field('p')),
        result: field('r'),
        ...(fields.u === undefined ? {} : { actor: JSON.parse(fields.u) }),
        ...(fields.c === undefined ? {} : { callId: fields.c }),
      };
    case 'link':
      return { ...common, type: 'link', link: JSON.parse(field('l')) };
    case 'dead':
      return {
        ...common,
        type: 'dead',
        updateId: Number(field('i')),
        raw: field('u'),
        reader: field('d'),
        failure: failureOf(field),
      };
    default:
      return { ...common, type: 'update', updateId: Number(field('i')), raw: field('u') };
  }
}

/** What a release without codes wrote has none: that is unknown. */
function failureOf(field: (name: string) => string): DeliveryFailure {
  const numberOf = (name: string) => (field(name) === '' ? null : Number(field(name)));
  return {
    code: reasonCode.catch('unknown').parse(field('code')),
    reason: field('w'),
    attempts: Number(field('c')),
    lastStatus: numberOf('s'),
    firstFailedAtMs: numberOf('firstFailedAt'),
    lastFailedAtMs: numberOf('lastFailedAt'),
    destinations: field('destinations') === '' ? [] : JSON.parse(field('destinations')),
  };
}
