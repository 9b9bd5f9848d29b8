import type { DeliveryFilter } from '@flotilla/contract/deliveries.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, programKeys } from '@flotilla/redis/keys.ts';
import { programReaderName } from '../../fleet/bots/active-program.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { RetryRecord } from '../lanes/retry-schedule.ts';
import { matchesFilter } from './delivery-filter.ts';
import { parseReader } from './reader-name.ts';

export type Retrying = RetryRecord & {
  botId: number;
  updateId: number;
  /** Its name in its lane. */
  unitId: string;
  /** The name in dead letters. */
  reader: string;
};

type ListDeps = { redis: RedisHandles };
/** The units of one reader of a bot. */
type Work = {
  botId: number;
  reader: Retrying['reader'];
  work: string;
  redriven: string;
  /** While the breaker of its backend is open: when it gets its next probe. */
  probeAtMs: number;
};
/** JSON of the failed attempts by the unit's id in its lane: an update id, or `r…` if redriven. */
type Records = [unitId: string, record: string][];

/** The largest number of rows that a call keeps in memory; more are only counted. */
const LISTED_AT_MOST = 10_000;
const STATES_AT_ONCE = 200;
/** Pages of this many readers are in memory at once, each of about this many records. */
const READERS_AT_ONCE = 50;
const RECORDS_AT_ONCE = 200;
/** A redriven update is read whole, only for its id. */
const REDRIVEN_AT_ONCE = 50;

/**
 * Updates of these bots whose delivery or routing failed and will be tried again, the next one first: at most one per
 * lane. `total` counts all of them, `rows` has the first 10,000.
 */
export async function listRetrying(
  deps: ListDeps,
  bots: Bot[],
  filter: DeliveryFilter,
): Promise<{ rows: Retrying[]; total: number }> {
  let rows: Retrying[] = [];
  let total = 0;
  for await (const found of recordsOf(deps, bots, filter)) {
    const matching = found.filter((retrying) => matchesFilter(filter, filteredOf(retrying)));
    total += matching.length;
    rows.push(...matching);
    if (rows.length > 2 * LISTED_AT_MOST) rows = firstOf(rows);
  }
  return { rows: firstOf(rows), total };
}

function firstOf(rows: Retrying[]): Retrying[] {
  return rows
    .sort((left, right) => left.nextTryAtMs - right.nextTryAtMs || left.updateId - right.updateId)
    .slice(0, LISTED_AT_MOST);
}

function filteredOf({ reader, reasonCode, lastStatus, lastError, updateId, lastFailedAtMs }: Retrying) {
  return { reader, reasonCode, status: lastStatus, error: lastError, updateId, atMs: lastFailedAtMs };
}

/** Only readers in whose lanes something waits: their state tells it without a look at their units. */
async function worksOf({ redis }: ListDeps, bots: Bot[], { reader }: DeliveryFilter): Promise<Work[]> {
  const states = await redis.runMany(
    bots.map(({ id }) => ['hmget', botKeys(id).state, 'pushPending', 'rulesPending', 'openUntil']),
  );
  const ofPrograms = await worksOfPrograms(redis, bots);
  return bots.flatMap(({ id }, at) => {
    const keys = botKeys(id);
    const [push, rules, openUntil] = states[at] as (string | null)[];
    const probeAtMs = Number(openUntil ?? 0);
    return [
      ...(Number(push ?? 0) > 0
        ? [{ botId: id, reader: 'push' as const, work: keys.work, redriven: keys.redriven, probeAtMs }]
        : []),
      ...(Number(rules ?? 0) > 0
        ? [{ botId: id, reader: 'rules' as const, work: keys.rulesWork, redriven: keys.rulesRedriven, probeAtMs: 0 }]
        : []),
      ...ofPrograms.filter(({ botId }) => botId === id),
    ].filter((work) => reader === undefined || parseReader(work.reader).reader === reader);
  });
}

async function worksOfPrograms(redis: RedisHandles, bots: Bot[]): Promise<Work[]> {
  const programs = bots.flatMap(({ id, programs }) =>
    programs.filter(({ mode }) => mode === 'push').map((program) => ({ botId: id, programId: program.id })),
  );
  if (programs.length === 0) return [];
  const pending = await redis.runMany(
    programs.map(({ botId, programId }) => ['hmget', programKeys(botId, programId).state, 'pushPending', 'openUntil']),
  );
  return programs.flatMap(({ botId, programId }, at) => {
    const { work, redriven } = programKeys(botId, programId);
    const [waiting, openUntil] = pending[at] as (string | null)[];
    const probeAtMs = Number(openUntil ?? 0);
    return Number(waiting ?? 0) > 0 ? [{ botId, reader: programReaderName(programId), work, redriven, probeAtMs }] : [];
  });
}

async function* recordsOf(deps: ListDeps, bots: Bot[], filter: DeliveryFilter): AsyncGenerator<Retrying[]> {
  for (const some of portionsOf(bots, STATES_AT_ONCE)) {
    for (const works of portionsOf(await worksOf(deps, some, filter), READERS_AT_ONCE)) yield* pagesOf(deps, works);
  }
}

function portionsOf<Item>(items: Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

/** Reads a page of every reader at once, then the next page of those that have one. */
async function* pagesOf(deps: ListDeps, works: Work[]): AsyncGenerator<Retrying[]> {
  const seen = new Map<Work, Set<string>>();
  let reading = works.map((work) => ({ work, cursor: '0' }));
  while (reading.length > 0) {
    const pages = (await deps.redis.runMany(
      reading.map(({ work, cursor }) => ['hscan', work.work, cursor, 'COUNT', RECORDS_AT_ONCE]),
    )) as [cursor: string, page: string[]][];
    const next: typeof reading = [];
    for (const [at, [cursor, page]] of pages.entries()) {
      const { work } = reading[at]!;
      const records = failedOf(page);
      const isWhole = cursor === '0' && !seen.has(work);
      yield withUpdateIds(deps, work, isWhole ? records : notSeen(seen, work, records));
      if (cursor !== '0') next.push({ work, cursor });
    }
    reading = next;
  }
}

/** HSCAN may return an entry twice while a hash grows. */
function notSeen(seen: Map<Work, Set<string>>, work: Work, records: Records): Records {
  const ids = seen.get(work) ?? new Set<string>();
  seen.set(work, ids);
  return records.filter(([unitId]) => !ids.has(unitId) && ids.add(unitId));
}

function failedOf(page: string[]): Records {
  const records: Records = [];
  for (let at = 0; at < page.length; at += 2) {
    const [field, record] = [page[at]!, page[at + 1]!];
    if (field.startsWith('r:') && record !== '') records.push([field.slice(2), record]);
  }
  return records;
}

async function withUpdateIds({ redis }: ListDeps, work: Work, records: Records): Promise<Retrying[]> {
  const again = records.map(([unitId]) => unitId).filter((unitId) => unitId.startsWith('r'));
  const updateIds = new Map<string, number>();
  for (let from = 0; from < again.length; from += REDRIVEN_AT_ONCE) {
    const some = again.slice(from, from + REDRIVEN_AT_ONCE);
    for (const [at, redriven] of (await redis.commands.hmget(work.redriven, ...some)).entries()) {
      updateIds.set(some[at]!, redriven ? (JSON.parse(redriven) as { id: number }).id : 0);
    }
  }
  const { botId, reader, probeAtMs } = work;
  return records.map(([unitId, text]) => {
    const record = JSON.parse(text) as RetryRecord;
    // Retries that are due sooner wait for the probe, too.
    const nextTryAtMs = Math.max(record.nextTryAtMs, probeAtMs);
    return { ...record, nextTryAtMs, botId, reader, unitId, updateId: updateIds.get(unitId) ?? Number(unitId) };
  });
}
