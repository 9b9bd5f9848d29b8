import type { Clock } from './clock.ts';

/** Moments that many callers share. What they send to Redis together costs it less than half of what it costs one by one. */
export type SharedMoments = {
  next(): Promise<void>;
};

/** Moments that may come early: when something else is sent anyway, all who wait go with it. */
export type FlushableMoments = SharedMoments & {
  /** Those who wait, if any do, go now. */
  flush(): void;
};

/** Moments at whole multiples of `everyMs` of the clock, so that all processes have the same ones, or earlier. */
export function sharedMoments(everyMs: number, clock: Clock): FlushableMoments {
  let coming: Pending | null = null;
  const begin = () =>
    pendingFor(untilMomentMs(everyMs, clock), () => {
      coming = null;
    });
  return {
    next: () => {
      coming ??= begin();
      return coming.moment;
    },
    flush: () => coming?.flush(),
  };
}

type Pending = { moment: Promise<void>; flush(): void };

/** A moment after this time, or at the flush. `onMoment` runs first. It keeps no process from ending. */
function pendingFor(afterMs: number, onMoment: () => void): Pending {
  const { promise, resolve } = Promise.withResolvers<void>();
  const flush = () => {
    clearTimeout(timer);
    onMoment();
    resolve();
  };
  const timer = setTimeout(flush, afterMs).unref();
  return { moment: promise, flush };
}

/**
 * Moments that gather callers only under load. A caller that comes more than `withinMs` after the one before does not wait. Any other
 * one begins a group, or joins it; the group goes after `withinMs`, or as soon as it has `atMost` callers. With each of these moments,
 * the one of `others` comes as well.
 */
export function momentsUnderLoad(
  { withinMs, atMost }: { withinMs: number; atMost: number },
  clock: Clock,
  others?: Pick<FlushableMoments, 'flush'>,
): SharedMoments {
  let coming: Pending | null = null;
  let waiting = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  const begin = () => {
    waiting = 0;
    return pendingFor(withinMs, () => {
      coming = null;
      others?.flush();
    });
  };
  return {
    next: async () => {
      const nowMs = clock.nowMs();
      const isAfterPause = nowMs - lastMs > withinMs;
      lastMs = nowMs;
      if (isAfterPause) return others?.flush();
      coming ??= begin();
      const { moment, flush } = coming;
      waiting += 1;
      if (waiting === atMost) flush();
      await moment;
    },
  };
}

/** How long (ms) until the next of these moments. */
export function untilMomentMs(everyMs: number, clock: Clock): number {
  return everyMs - (clock.nowMs() % everyMs);
}
