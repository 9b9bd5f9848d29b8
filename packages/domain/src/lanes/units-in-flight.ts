import type { SharedMoments } from '@flotilla/runtime/shared-moments.ts';
import type { SettledUnit } from './claimed-unit.ts';

/** The units that a turn handles now, and what wakes the turn when it waits. */
export type UnitsInFlight<Settled> = {
  start(handling: Promise<Settled>): void;
  count(): number;
  /** Whether units were handled since the last takeSettled. */
  hasSettled(): boolean;
  /** The units handled since the last call. */
  takeSettled(): Settled[];
  /** While true, a delivered or dropped unit wakes the turn at the next shared moment only: no update waits behind it. */
  deferSettling(defers: boolean): void;
  /** Wakes the turn: there may be new work. */
  wake(): void;
  /** Whether a unit was handled, or `wake` was called, since the last takeSettled. */
  isWoken(): boolean;
  /** Resolves when the turn is woken, or after this time at the latest. */
  untilWoken(withinMs: number): Promise<void>;
};

export function unitsInFlight<Settled extends SettledUnit>(deferredWrites: SharedMoments): UnitsInFlight<Settled> {
  let settled: Settled[] = [];
  let count = 0;
  let woken = false;
  let defers = false;
  let endWait: () => void = () => {};
  const wake = () => {
    woken = true;
    endWait();
  };
  const wakeLater = async () => {
    await deferredWrites.next();
    if (settled.length > 0) wake();
  };
  return {
    start: (handling) => {
      count += 1;
      void handling.then((one) => {
        count -= 1;
        settled.push(one);
        if (defers && isDone(one)) void wakeLater();
        else wake();
      });
    },
    count: () => count,
    hasSettled: () => settled.length > 0,
    takeSettled: () => {
      const taken = settled;
      settled = [];
      woken = false;
      return taken;
    },
    deferSettling: (wanted) => {
      defers = wanted;
    },
    wake,
    isWoken: () => woken,
    untilWoken: (withinMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, withinMs);
        endWait = () => {
          clearTimeout(timer);
          resolve();
        };
        if (woken) endWait();
      }),
  };
}

/** Other outcomes decide when the unit, or its backend, is tried again. */
function isDone({ outcome }: SettledUnit): boolean {
  return outcome === 'delivered' || outcome === 'dropped';
}
