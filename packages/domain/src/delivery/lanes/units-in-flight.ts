/** The units that a turn handles now, and what wakes the turn when it waits. */
export type UnitsInFlight<Settled> = {
  start(handling: Promise<Settled>): void;
  count(): number;
  /** True if units were handled since the last takeSettled. */
  hasSettled(): boolean;
  /** The units handled since the last call. */
  takeSettled(): Settled[];
  /** Wakes the turn: there may be new work. */
  wake(): void;
  /** True if a unit was handled, or `wake` was called, since the last takeSettled. */
  isWoken(): boolean;
  /** Resolves when the turn is woken, or after this time at the latest. */
  untilWoken(withinMs: number): Promise<void>;
};

export function unitsInFlight<Settled>(): UnitsInFlight<Settled> {
  let settled: Settled[] = [];
  let count = 0;
  let woken = false;
  let endWait: () => void = () => {};
  const wake = () => {
    woken = true;
    endWait();
  };
  return {
    start: (handling) => {
      count += 1;
      void handling.then((one) => {
        count -= 1;
        settled.push(one);
        wake();
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
