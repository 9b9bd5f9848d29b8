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
  let coming: Coming | null = null;
  const begin = () =>
    comingIn(untilMomentMs(everyMs, clock), () => {
      coming = null;
    });
  return {
    next: () => {
      coming ??= begin();
      return coming.moment;
    },
    comeNow: () => coming?.come(),
  };
}

type Coming = { moment: Promise<void>; come(): void };

/** A moment after this time, or when somebody lets it come. `onCome` runs first. It keeps no process from ending. */
function comingIn(afterMs: number, onCome: () => void): Coming {
  const { promise, resolve } = Promise.withResolvers<void>();
  const come = () => {
    clearTimeout(timer);
    onCome();
    resolve();
  };
  const timer = setTimeout(come, afterMs).unref();
  return { moment: promise, come };
}

/**
 * Moments for callers that come often: whoever comes within `withinMs` of the one before waits so long at most, and all who come
 * meanwhile go with it, at once when they are `atMost`. A caller after a pause does not wait. Those who wait for `others` go with
 * each.
 */
export function momentsUnderLoad(
  { withinMs, atMost }: { withinMs: number; atMost: number },
  clock: Clock,
  others?: Pick<MovableMoments, 'comeNow'>,
): SharedMoments {
  let coming: Coming | null = null;
  let waiting = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  const begin = () => {
    waiting = 0;
    return comingIn(withinMs, () => {
      coming = null;
      others?.comeNow();
    });
  };
  return {
    next: async () => {
      const nowMs = clock.nowMs();
      const isAfterPause = nowMs - lastMs > withinMs;
      lastMs = nowMs;
      if (isAfterPause) return others?.comeNow();
      coming ??= begin();
      const { moment, come } = coming;
      waiting += 1;
      if (waiting === atMost) come();
      await moment;
    },
  };
}

/** How long (ms) until the next of these moments. */
export function untilMomentMs(everyMs: number, clock: Clock): number {
  return everyMs - (clock.nowMs() % everyMs);
}
