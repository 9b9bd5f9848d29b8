export type SharedWrites<Item> = (items: Item[]) => Promise<void>;

type Limits = {
  /** Batches at once. */
  atOnce: number;
  /** Items of a batch. */
  size: number;
  /** How long items wait for others while fewer than `size` are there. */
  gatherMs: number;
};
type Caller<Item> = { items: Item[]; resolve(): void; reject(error: unknown): void };

/**
 * Lets callers share batches. While enough batches are being written, new items wait for the next one. The items of one
 * caller stay together and in order, even if they are more than a batch should have. All callers of a batch share its
 * outcome.
 */
export function sharedWrites<Item>(
  { atOnce, size, gatherMs }: Limits,
  write: (items: Item[]) => Promise<void>,
): SharedWrites<Item> {
  const waiting: Caller<Item>[] = [];
  let inFlight = 0;
  let gathering: NodeJS.Timeout | undefined;

  const nextBatch = (): Caller<Item>[] => {
    let items = 0;
    const end = waiting.findIndex((caller) => {
      items += caller.items.length;
      return items > size;
    });
    return waiting.splice(0, end < 0 ? waiting.length : Math.max(end, 1));
  };
  const writeNext = async (): Promise<void> => {
    inFlight += 1;
    const callers = nextBatch();
    try {
      await write(callers.flatMap(({ items }) => items));
      for (const caller of callers) caller.resolve();
    } catch (error) {
      for (const caller of callers) caller.reject(error);
    } finally {
      inFlight -= 1;
      begin();
    }
  };
  const clearGathering = () => {
    clearTimeout(gathering);
    gathering = undefined;
  };
  const begin = () => {
    clearGathering();
    while (inFlight < atOnce && waiting.length > 0) void writeNext();
  };
  const isFull = () => waiting.reduce((sum, { items }) => sum + items.length, 0) >= size;

  return (items) =>
    new Promise((resolve, reject) => {
      waiting.push({ items, resolve, reject });
      while (inFlight < atOnce && isFull()) void writeNext();
      if (waiting.length > 0) gathering ??= setTimeout(begin, gatherMs);
      else clearGathering();
    });
}
