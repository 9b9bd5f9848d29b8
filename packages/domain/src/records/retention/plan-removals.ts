import { BROADCAST_DAYS } from '@flotilla/contract/broadcasts.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { type PartitionedTable, readPartitions } from '@flotilla/database/month-partitions.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { sql } from 'kysely';
import { estimateRows } from './estimate-rows.ts';
import { countExpiredJournal, journalExpiresAt } from './expired-journal.ts';
import { ACTIVITY_DAYS, type RetentionDays, WHOLE_MONTHS_FROM } from './remove-expired.ts';

/** The rows that retention would remove from a table now. `rows` and `total` are estimates of the planner. */
export type PlannedRemoval = {
  table: string;
  rows: number;
  total: number;
  before: Date;
  /** The share of the table that may always go. Default none. */
  usualShare?: number;
};

const DAY_MS = 86_400_000;
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
    rows: await estimateRows(db, sql`select from ${sql.table(table)} where date < ${untilS}::bigint`),
    total: await estimateRows(db, sql`select from ${sql.table(table)}`),
  };
}

async function planJournal(db: Database, before: Date): Promise<PlannedRemoval> {
  return {
    ...{ table: 'journal_pages', before, usualShare: USUAL_SHARE_OF_A_DAY },
    rows: await countExpiredJournal(db, before),
    total: await estimateRows(db, sql`select from journal_pages`),
  };
}

async function plan(db: Database, table: string, column: string, before: Date): Promise<PlannedRemoval> {
  return {
    ...{ table, before },
    rows: await estimateRows(
      db,
      sql`select from ${sql.table(table)} where ${sql.ref(column)} < ${before}::timestamptz`,
    ),
    total: await estimateRows(db, sql`select from ${sql.table(table)}`),
  };
}
