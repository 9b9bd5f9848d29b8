import { removeDeleted } from '@flotilla/domain/records/retention/remove-deleted.ts';
import { removeExpired } from '@flotilla/domain/records/retention/remove-expired.ts';
import type { WorkerConfig } from '../config.ts';
import type { WorkerContext } from '../context.ts';
import { repeatWork } from './repeat-work.ts';

/** Deleted rows are invisible already. */
const LOOK_EVERY_MS = 30_000;
const EXPIRE_EVERY_MS = 3_600_000;

/**
 * Removes deleted rows, and rows older than their retention. It may take long, so it runs beside the other upkeep. Only
 * one worker of the fleet does it at a time.
 */
export function startRemoval({
  db,
  clock,
  log,
  config,
}: Pick<WorkerContext, 'db' | 'clock' | 'log'> & { config: Pick<WorkerConfig, 'retentionDays'> }): {
  stop(): Promise<void>;
} {
  let expiredAtMs = 0;
  const remove = async (signal: AbortSignal): Promise<void> => {
    const work = { db, clock, signal };
    await removeDeleted(work);
    if (clock.nowMs() - expiredAtMs < EXPIRE_EVERY_MS) return;
    if ((await removeExpired(work, config.retentionDays)) === 'done') expiredAtMs = clock.nowMs();
  };
  const failure = 'stored rows could not be removed; this continues later';
  return repeatWork({ log }, { everyMs: LOOK_EVERY_MS, work: remove, failure });
}
