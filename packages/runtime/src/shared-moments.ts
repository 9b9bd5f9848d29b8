import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from './clock.ts';

/** Moments that many callers share. What they send to Redis together costs it less than half of what it costs one by one. */
export type SharedMoments = {
  next(): Promise<void>;
};

/** Moments at whole multiples of `everyMs` of the clock, so that all processes have the same ones. */
export function sharedMoments(everyMs: number, clock: Clock): SharedMoments {
  let coming: Promise<void> | null = null;
  return {
    next: () => {
      coming ??= delay(untilMomentMs(everyMs, clock)).then(() => {
        coming = null;
      });
      return coming;
    },
  };
}

/** How long (ms) until the next of these moments. */
export function untilMomentMs(everyMs: number, clock: Clock): number {
  return everyMs - (clock.nowMs() % everyMs);
}
