import { clockAheadMs } from '@flotilla/database/clock-of-server.ts';
import { endConfirmations, hasConfirmed, holdUnusual } from '@flotilla/domain/records/retention/confirm-removals.ts';
import { planRemovals } from '@flotilla/domain/records/retention/plan-removals.ts';
import { removeDeleted } from '@flotilla/domain/records/retention/remove-deleted.ts';
import { removeExpired } from '@flotilla/domain/records/retention/remove-expired.ts';
import type { WorkerConfig } from '../config.ts';
import type { WorkerContext } from '../context.ts';
import { repeatWork } from './repeat-work.ts';

/** Deleted rows are invisible already. */
const LOOK_EVERY_MS = 30_000;
const EXPIRE_EVERY_MS = 3_600_000;
/** A clock further from that of Postgres is wrong, and so may be that of Postgres: what is deleted does not come back. */
const APART_AT_MOST_MS = 60_000;

type Removal = {
  stop(): Promise<void>;
  /** Why nothing is removed now; null while it is. */
  refusal(): string | null;
};

/**
 * Removes deleted rows, and rows older than their retention by the clock of Postgres. It may take long, so it runs beside the
 * other upkeep. Only one worker of the fleet does it at a time.
 */
export function startRemoval({
  db,
  clock,
  log,
  measure,
  config,
}: Pick<WorkerContext, 'db' | 'clock' | 'log'> & {
  measure: {
    clockAhead: { set(seconds: number): void };
    removedRows: { inc(labels: { table: string }, rows: number): void };
  };
  config: Pick<WorkerConfig, 'retentionDays'>;
}): Removal {
  let expiredAtMs = 0;
  let refusal: string | null = null;
  const remove = async (signal: AbortSignal): Promise<void> => {
    const aheadMs = await clockAheadMs(db, clock);
    measure.clockAhead.set(aheadMs / 1000);
    refusal = refusalOf(aheadMs);
    if (refusal !== null) return log.error({ aheadMs }, refusal);
    const work = { db, clock: { nowMs: () => clock.nowMs() - aheadMs }, signal };
    await removeDeleted(work);
    if (clock.nowMs() - expiredAtMs < EXPIRE_EVERY_MS && !(await hasConfirmed(db))) return;
    const held = await holdUnusual(db, await planRemovals(work, config.retentionDays));
    if (held.size > 0)
      log.warn({ tables: [...held] }, 'far more rows than usual have expired: they stay until an admin confirms it');
    const removed = new Map<string, number>();
    const count = (table: string, rows: number) => {
      removed.set(table, (removed.get(table) ?? 0) + rows);
      measure.removedRows.inc({ table }, rows);
    };
    const outcome = await removeExpired({ ...work, held, removed: count }, config.retentionDays);
    if (removed.size > 0) log.info({ removed: Object.fromEntries(removed) }, 'expired rows were removed');
    if (outcome !== 'done') return;
    expiredAtMs = clock.nowMs();
    await endConfirmations(db, held);
  };
  const failure = 'stored rows could not be removed; this continues later';
  const repeated = repeatWork({ log }, { everyMs: LOOK_EVERY_MS, work: remove, failure });
  return { stop: repeated.stop, refusal: () => refusal };
}

function refusalOf(aheadMs: number): string | null {
  if (Math.abs(aheadMs) <= APART_AT_MOST_MS) return null;
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  return `the clock of this process is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} that of Postgres: nothing is deleted`;
}
