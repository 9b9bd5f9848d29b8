import { fillChats } from '@flotilla/domain/chats/fill-chats.ts';
import { leaveLettersOfGonePrograms } from '@flotilla/domain/retention/letters-of-gone-program.ts';
import { removeDeleted } from '@flotilla/domain/retention/remove-deleted.ts';
import { removeExpired } from '@flotilla/domain/retention/remove-expired.ts';
import type { WorkerConfig } from '../config.ts';
import type { WorkerContext } from '../context.ts';
import { repeatWork } from './repeat-work.ts';

const LOOK_EVERY_MS = 5_000;
const EXPIRE_EVERY_MS = 3_600_000;

/**
 * Removes deleted rows, dead letters of deleted programs and rows older than their retention, and fills in rows of earlier
 * releases. It may take long, so it runs beside the other upkeep. Only one worker of the fleet does it at a time.
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
    await fillChats(work);
    if (clock.nowMs() - expiredAtMs < EXPIRE_EVERY_MS) return;
    const left = await leaveLettersOfGonePrograms(work);
    const outcome = left === 'done' ? await removeExpired(work, config.retentionDays) : left;
    if (outcome === 'done') expiredAtMs = clock.nowMs();
  };
  const failure = 'stored rows could not be removed or filled in; this continues later';
  return repeatWork({ log }, { everyMs: LOOK_EVERY_MS, work: remove, failure });
}
