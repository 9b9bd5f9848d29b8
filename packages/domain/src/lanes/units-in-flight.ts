/** The units that a turn handles now, and the news that ends its waits. */
export type UnitsInFlight<Settled> = {
  start(handling: Promise<Settled>): void;
  count(): number;
  /** The units handled since the last call. */
  takeSettled(): Settled[];
  /** Reports news: there may be new work. */
  tell(): void;
  /** Whether a unit was handled, or `tell` was called, since the last takeSettled. */
  hasNews(): boolean;
  /** Resolves at the next news, or after this time at the latest. */
  news(withinMs: number): Promise<void>;
};

export function unitsInFlight<Settled>(): UnitsInFlight<Settled> {
  let settled: Settled[] = [];
  let count = 0;
  let news = false;
  let wakeUp: () => void = () => {};
  const tell = () => {
    news = true;
    wakeUp();
  };
  return {
    start: (handling) => {
      count += 1;
      void handling.then((one) => {
        count -= 1;
        settled.push(one);
        tell();
      });
    },
    count: () => count,
    takeSettled: () => {
      const taken = settled;
      settled = [];
      news = false;
      return taken;
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
