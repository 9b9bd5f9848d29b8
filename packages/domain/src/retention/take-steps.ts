import { setTimeout } from 'node:timers/promises';
import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';

export interface StepDeps {
  db: Database;
  /** Aborting ends the work between two steps. */
  signal: AbortSignal;
  /** Rows a step removes at most. Default 1,000. */
  stepRows?: number;
}

export const STEP_ROWS = 1_000;
const SHORTEST_PAUSE_MS = 10;
// Any number; all processes on one database use the same.
const LOCK = 7_362_514_901;

/**
 * Takes steps, a short transaction each, until one says that there is nothing left. Between two it rests as long as the
 * step took. Over all processes one step runs at a time; who finds another one at work leaves the rest to it.
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
    if (outcome !== 'more') return outcome;
    const pauseMs = Math.max(SHORTEST_PAUSE_MS, performance.now() - begunAt);
    await setTimeout(pauseMs, undefined, { signal: deps.signal }).catch(() => {});
  }
  return 'aborted';
}
