import { removeDeleted } from '@flotilla/domain/retention/remove-deleted.ts';
import { removeExpired } from '@flotilla/domain/retention/remove-expired.ts';
import type { WorkerConfig } from './config.ts';
import type { WorkerContext } from './context.ts';

const LOOK_EVERY_MS = 5_000;
const EXPIRE_EVERY_MS = 3_600_000;

type RemovalDeps = Pick<WorkerContext, 'db' | 'clock' | 'log'> & { config: Pick<WorkerConfig, 'retentionDays'> };

/**
 * Removes what was deleted or is older than it is to be kept. It may take long and goes on beside the other upkeep; of
 * many workers one at a time removes.
 */
export function startRemoval(deps: RemovalDeps): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const work = { db: deps.db, clock: deps.clock, signal: stopping.signal };
  let expiredAtMs = 0;
  let running: Promise<void> | null = null;
  const round = async (): Promise<void> => {
    await removeDeleted(work);
    if (deps.clock.nowMs() - expiredAtMs < EXPIRE_EVERY_MS) return;
    const outcome = await removeExpired(work, deps.config.retentionDays);
    if (outcome === 'done') expiredAtMs = deps.clock.nowMs();
  };
  const runRound = () => {
    running ??= round()
      .catch((error) =>
        deps.log.warn({ reason: String(error) }, 'rows could not be removed; the removal continues later'),
      )
      .finally(() => {
        running = null;
      });
  };
  runRound();
  const timer = setInterval(runRound, LOOK_EVERY_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}
