import { setTimeout } from 'node:timers/promises';
import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';

export interface StepDeps {
  db: Database;
  /** Aborting ends the work between two steps. */
  signal: AbortSignal;
  /** The most rows that a step removes. Default 1,000. */
  stepRows?: number;
  /** Go on as soon as a process that is at work lets others, instead of leaving the work to it. */
  waits?: boolean;
}

export const STEP_ROWS = 1_000;
const SHORTEST_PAUSE_MS = 10;
// An arbitrary number that all processes on one database share.
const LOCK = 7_362_514_901;

/**
 * Runs steps, each in a short transaction, until one returns 'done'. Between two steps it pauses as long as the step
 * took. Only one step runs at a time over all processes; a process that finds another at work returns 'elsewhere', or waits.
 */
export async function takeSteps(
  deps: StepDeps,
  step: (transaction: Database) => Promise<'more' | 'done'>,
): Promise<'done' | 'elsewhere' | 'aborted'> {
  while (!deps.signal.aborted) {
    const begunAt = performance.now();
    const outcome = await deps.db.transaction().execute(async (transaction) => {
      const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_xact_lock(${LOCK}) as mine`.execute(
        transaction,
      );
      return rows[0]?.mine === true ? step(transaction) : 'elsewhere';
    });
    if (outcome === 'done' || (outcome === 'elsewhere' && deps.waits !== true)) return outcome;
    const pauseMs = Math.max(SHORTEST_PAUSE_MS, performance.now() - begunAt);
    await setTimeout(pauseMs, undefined, { signal: deps.signal }).catch(() => {});
  }
  return 'aborted';
}
