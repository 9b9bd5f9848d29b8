/** The units that a turn handles now, and what it is to hear of. */
export type UnitsInFlight<Settled> = {
  start(handling: Promise<Settled>): void;
  count(): number;
  /** What was handled since the last call. */
  takeSettled(): Settled[];
  /** There is something to look at. */
  tell(): void;
  /** Whether something was handled or told since the last takeSettled. */
  hasNews(): boolean;
  /** Resolves at the next news, at the latest after this time. */
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
