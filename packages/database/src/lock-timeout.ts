import { setTimeout as delay } from 'node:timers/promises';
import { readSqlState } from './is-unavailable.ts';

const LOCK_TIMED_OUT = '55P03';
const PAUSE_MS = 1_000;

/** Repeats work whose `lock_timeout` passed, with pauses of a second; the last failure is thrown. */
export async function repeatOnLockTimeout<Result>(tries: number, work: () => Promise<Result>): Promise<Result> {
  for (let made = 1; ; made += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isLockTimeout(error) || made === tries) throw error;
      await delay(PAUSE_MS);
    }
  }
}

export function isLockTimeout(error: unknown): boolean {
  return readSqlState(error) === LOCK_TIMED_OUT;
}
