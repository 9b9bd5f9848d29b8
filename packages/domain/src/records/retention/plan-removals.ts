import { BROADCAST_DAYS } from '@flotilla/contract/broadcasts.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { type PartitionedTable, readPartitions } from '@flotilla/database/month-partitions.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { type RawBuilder, sql } from 'kysely';
import { countUpTo, estimateRows } from './estimate-rows.ts';
import { countExpiredJournal, journalExpiresAt } from './expired-journal.ts';
import { ACTIVITY_DAYS, type RetentionDays, WHOLE_MONTHS_FROM } from './remove-expired.ts';

/** The rows that retention would remove from a table now. Of a large table, `total` is an estimate of the planner, and so are many `rows`. */
export type PlannedRemoval = {
  table: string;
  rows: number;
  total: number;
  before: Date;
  /** The share of the table that may always go. Default none. */
  usualShare?: number;
};

const DAY_MS = 86_400_000;
/** To count as many rows takes some milliseconds. */
const COUNTED_AT_MOST = 20_000;
/** Beyond it, an estimate is as good. */
const EXPIRED_COUNTED_AT_MOST = 200_000;
/** Of what is kept for a day, a busy hour, or a few hours without a worker, are far more than a tenth. */
const USUAL_SHARE_OF_A_DAY = 0.5;

export async function planRemovals(
  { db, clock }: { db: Database; clock: Clock },
  days: RetentionDays,
): Promise<PlannedRemoval[]> {
  const before = (kept: number) => new Date(clock.nowMs() - kept * DAY_MS);
  const plans = [
    await plan(db, 'activity_hours', 'at', before(ACTIVITY_DAYS)),
    await plan(db, 'broadcasts', 'ended_at', before(BROADCAST_DAYS)),
    await planJournal(db, journalExpiresAt(clock.nowMs())),
  ];
  const { events, outbox, deadLetters } = days;
  if (events > 0) plans.push(await plan(db, 'events', 'at', before(events)));
  if (outbox > 0) plans.push(await plan(db, 'outbox', 'settled_at', before(outbox)));
  if (deadLetters > 0) plans.push(await plan(db, 'dead_letters', 'created_at', before(deadLetters)));
  if (days.audit > 0) plans.push(await planMonths(db, 'audit_log', days.audit, before(days.audit)));
  if (days.messages > 0) plans.push(await planMonths(db, 'messages', days.messages, before(days.messages)));
  return plans;
}

async function planMonths(db: Database, table: PartitionedTable, days: number, before: Date): Promise<PlannedRemoval> {
  const expiredS = Math.floor(before.getTime() / 1000);
  const months = days < WHOLE_MONTHS_FROM ? [] : await readPartitions(db, table);
  const untilS = months.findLast(({ untilS: end }) => end !== null && end <= expiredS)?.untilS ?? expiredS;
  return {
    ...{ table, before: new Date(untilS * 1000) },
    ...(await measure(db, table, sql`date < ${untilS}::bigint`)),
  };
}

async function planJournal(db: Database, before: Date): Promise<PlannedRemoval> {
  return {
    ...{ table: 'journal_pages', before, usualShare: USUAL_SHARE_OF_A_DAY },
    ...(await measure(db, 'journal_pages', sql`false`)),
    rows: await countExpiredJournal(db, before),
  };
}

async function plan(db: Database, table: string, column: string, before: Date): Promise<PlannedRemoval> {
  return { table, before, ...(await measure(db, table, sql`${sql.ref(column)} < ${before}::timestamptz`)) };
}

/**
 * The planner expects rows in an empty table, too, so small tables are counted. Of expired rows that came since the last ANALYZE it
 * knows nothing, so in a large table they are counted as far as that is quick.
 */
async function measure(
  db: Database,
  table: string,
  expired: RawBuilder<unknown>,
): Promise<Pick<PlannedRemoval, 'rows' | 'total'>> {
  const all = sql`select from ${sql.table(table)}`;
  const total = await estimateRows(db, all);
  if (total > COUNTED_AT_MOST) {
    const found = sql`${all} where ${expired}`;
    const counted = await countUpTo(db, found, EXPIRED_COUNTED_AT_MOST);
    if (counted !== null && counted < EXPIRED_COUNTED_AT_MOST)
      return { rows: counted, total: Math.max(total, counted) };
    const rows = Math.max(counted ?? 0, await estimateRows(db, found));
    return { rows, total: Math.max(total, rows) };
  }
  type Counted = { rows: string; total: string };
  const counting = sql<Counted>`select count(*) filter (where ${expired}) as rows, count(*) as total from ${sql.table(table)}`;
  const counted = (await counting.execute(db)).rows[0]!;
  return { rows: Number(counted.rows), total: Number(counted.total) };
}
