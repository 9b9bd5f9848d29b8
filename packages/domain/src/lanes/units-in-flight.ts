import type { SharedMoments } from '@flotilla/runtime/shared-moments.ts';
import type { SettledUnit } from './claimed-unit.ts';

/** The units that a turn handles now, and the news that ends its waits. */
export type UnitsInFlight<Settled> = {
  start(handling: Promise<Settled>): void;
  count(): number;
  /** Whether units were handled since the last takeSettled. */
  hasSettled(): boolean;
  /** The units handled since the last call. */
  takeSettled(): Settled[];
  /** While true, a delivered or dropped unit is news at the next shared moment only: no update waits behind it. */
  gather(gathers: boolean): void;
  /** Reports news: there may be new work. */
  tell(): void;
  /** Whether a unit was handled, or `tell` was called, since the last takeSettled. */
  hasNews(): boolean;
  /** Resolves at the next news, or after this time at the latest. */
  news(withinMs: number): Promise<void>;
};

export function unitsInFlight<Settled extends SettledUnit>(deferredWrites: SharedMoments): UnitsInFlight<Settled> {
  let settled: Settled[] = [];
  let count = 0;
  let news = false;
  let gathers = false;
  let wakeUp: () => void = () => {};
  const tell = () => {
    news = true;
    wakeUp();
  };
  const tellLater = async () => {
    await deferredWrites.next();
    if (settled.length > 0) tell();
  };
  return {
    start: (handling) => {
      count += 1;
      void handling.then((one) => {
        count -= 1;
        settled.push(one);
        if (gathers && isDone(one)) void tellLater();
        else tell();
      });
    },
    count: () => count,
    hasSettled: () => settled.length > 0,
    takeSettled: () => {
      const taken = settled;
      settled = [];
      news = false;
      return taken;
    },
    gather: (wanted) => {
      gathers = wanted;
    },
    tell,
    hasNews: () => news,
    news: (withinMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, withinMs);
        wakeUp = () => {
          clearTimeout(timer);
          resolve();
        };
        if (news) wakeUp();
      }),
  };
}

/** Other outcomes decide when the unit, or its backend, is tried again. */
function isDone({ outcome }: SettledUnit): boolean {
  return outcome === 'delivered' || outcome === 'dropped';
}
