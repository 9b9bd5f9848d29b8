/** What a turn has under way, and what it is to hear of. */
export type UnderWay<Ended> = {
  start(work: Promise<Ended>): void;
  /** Adds what has ended without having been begun. */
  add(ended: Ended): void;
  count(): number;
  /** What has ended since the last call. */
  takeEnded(): Ended[];
  /** There is something to look at. */
  tell(): void;
  /** Whether something ended or was told since the last takeEnded. */
  hasNews(): boolean;
  /** Resolves at the next news, at the latest after this time. */
  news(withinMs: number): Promise<void>;
};

export function underWay<Ended>(): UnderWay<Ended> {
  let ended: Ended[] = [];
  let count = 0;
  let news = false;
  let wakeUp: () => void = () => {};
  const tell = () => {
    news = true;
    wakeUp();
  };
  const add = (one: Ended) => {
    ended.push(one);
    tell();
  };
  return {
    start: (work) => {
      count += 1;
      void work.then((one) => {
        count -= 1;
        add(one);
      });
    },
    add,
    count: () => count,
    takeEnded: () => {
      const taken = ended;
      ended = [];
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
