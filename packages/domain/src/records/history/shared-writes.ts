export type SharedWrites<Item> = (items: Item[]) => Promise<void>;

type Limits = {
  /** Batches at once while more than one is full, else one. */
  atOnce: number;
  /** Items of a batch. */
  size: number;
  /** How long items wait for others while fewer than `size` are there. */
  gatherMs: number;
};
type Caller<Item> = { items: Item[]; resolve(): void; reject(error: unknown): void };

/**
 * Lets callers share batches. While a batch is being written, new items wait for the next one, unless they fill it. The items
 * of one caller stay together and in order, even if they are more than a batch should have. All callers of a batch share
 * its outcome.
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
  const isFull = () => waiting.reduce((sum, { items }) => sum + items.length, 0) >= size;
  const beginFull = () => {
    while (inFlight < atOnce && isFull()) void writeNext();
  };
  const begin = () => {
    clearGathering();
    beginFull();
    if (inFlight === 0 && waiting.length > 0) void writeNext();
  };

  return (items) =>
    new Promise((resolve, reject) => {
      waiting.push({ items, resolve, reject });
      beginFull();
      if (waiting.length > 0) gathering ??= setTimeout(begin, gatherMs);
      else clearGathering();
    });
}
