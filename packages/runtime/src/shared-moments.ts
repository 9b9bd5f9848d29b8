import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from './clock.ts';

/** Moments that many callers share. What they send to Redis together costs it less than half of what it costs one by one. */
export type SharedMoments = {
  next(): Promise<void>;
};

/** Moments that may come early: when something else is sent anyway, all who wait go with it. */
export type MovableMoments = SharedMoments & {
  /** The moment for which callers wait, if any do, is now. */
  comeNow(): void;
};

/** Moments at whole multiples of `everyMs` of the clock, so that all processes have the same ones, or earlier. */
export function sharedMoments(everyMs: number, clock: Clock): MovableMoments {
  let coming: { moment: Promise<void>; come(): void } | null = null;
  const begin = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const come = () => {
      clearTimeout(timer);
      coming = null;
      resolve();
    };
    const timer = setTimeout(come, untilMomentMs(everyMs, clock));
    return { moment: promise, come };
  };
  return {
    next: () => {
      coming ??= begin();
      return coming.moment;
    },
    comeNow: () => coming?.come(),
  };
}

/**
 * Moments for callers that come often: whoever comes within `withinMs` of the one before waits so long at most, and all who come
 * meanwhile go with it. A caller after a pause does not wait. Those who wait for `others` go with each.
 */
export function momentsUnderLoad(
  withinMs: number,
  clock: Clock,
  others?: Pick<MovableMoments, 'comeNow'>,
): SharedMoments {
  let coming: Promise<void> | null = null;
  let lastMs = Number.NEGATIVE_INFINITY;
  return {
    next: async () => {
      const nowMs = clock.nowMs();
      const isAfterPause = nowMs - lastMs > withinMs;
      lastMs = nowMs;
      if (isAfterPause) return others?.comeNow();
      coming ??= delay(withinMs).then(() => {
        coming = null;
        others?.comeNow();
      });
      await coming;
    },
  };
}

/** How long (ms) until the next of these moments. */
export function untilMomentMs(everyMs: number, clock: Clock): number {
  return everyMs - (clock.nowMs() % everyMs);
}
