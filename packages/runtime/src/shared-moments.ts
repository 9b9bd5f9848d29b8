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

/**
 * Moments for callers that come often: whoever comes within `withinMs` of the one before waits so long at most, and all who come
 * meanwhile go with it. A caller after a pause does not wait.
 */
export function momentsUnderLoad(withinMs: number, clock: Clock): SharedMoments {
  let coming: Promise<void> | null = null;
  let lastMs = Number.NEGATIVE_INFINITY;
  return {
    next: async () => {
      const nowMs = clock.nowMs();
      const isAfterPause = nowMs - lastMs > withinMs;
      lastMs = nowMs;
      if (isAfterPause) return;
      coming ??= delay(withinMs).then(() => {
        coming = null;
      });
      await coming;
    },
  };
}

/** How long (ms) until the next of these moments. */
export function untilMomentMs(everyMs: number, clock: Clock): number {
  return everyMs - (clock.nowMs() % everyMs);
}
