export type SharedWrites<Item> = (items: Item[]) => Promise<void>;

type Caller<Item> = { items: Item[]; resolve(): void; reject(error: unknown): void };

/**
 * Lets callers share batches. While `atOnce` batches are being written, new items wait for the next one, of up to
 * `size` items. The items of one caller stay together and in order, even if they are more. All callers of a batch share
 * its outcome.
 */
export function sharedWrites<Item>(
  { atOnce, size }: { atOnce: number; size: number },
  write: (items: Item[]) => Promise<void>,
): SharedWrites<Item> {
  const waiting: Caller<Item>[] = [];
  let inFlight = 0;

  const nextBatch = (): Caller<Item>[] => {
    let items = 0;
    const end = waiting.findIndex((caller) => {
      items += caller.items.length;
      return items > size;
    });
    return waiting.splice(0, end < 0 ? waiting.length : Math.max(end, 1));
  };
  const writeNext = async (): Promise<void> => {
    if (inFlight >= atOnce || waiting.length === 0) return;
    inFlight += 1;
    const callers = nextBatch();
    try {
      await write(callers.flatMap(({ items }) => items));
      for (const caller of callers) caller.resolve();
    } catch (error) {
      for (const caller of callers) caller.reject(error);
    } finally {
      inFlight -= 1;
      void writeNext();
    }
  };

  return (items) =>
    new Promise((resolve, reject) => {
      waiting.push({ items, resolve, reject });
      // Wait for other callers of the same moment.
      setImmediate(() => void writeNext());
    });
}
