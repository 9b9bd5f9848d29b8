/** Work that begins when all items that it waits for are done. */
export interface Item {
  name: string;
  after: string[];
}

/**
 * Does the items, so many at once, each worker one after the other; the first failure ends the others after the item that they do.
 * `after` must not name an item that waits for this one.
 */
export async function runSideBySide<Of extends Item>(
  items: readonly Of[],
  workers: readonly ((item: Of) => Promise<void>)[],
): Promise<void> {
  const waiting = [...items];
  const unfinished = new Set(items.map(({ name }) => name));
  let wake: (() => void)[] = [];
  let failure: { error: unknown } | null = null;
  const wakeAll = () => {
    for (const resolve of wake) resolve();
    wake = [];
  };
  const work = async (perform: (item: Of) => Promise<void>): Promise<void> => {
    while (failure === null && waiting.length > 0) {
      const at = waiting.findIndex(({ after }) => !after.some((name) => unfinished.has(name)));
      const [item] = at < 0 ? [] : waiting.splice(at, 1);
      if (item === undefined) {
        await new Promise<void>((resolve) => wake.push(resolve));
        continue;
      }
      await perform(item).then(
        () => unfinished.delete(item.name),
        (error: unknown) => {
          failure ??= { error };
        },
      );
      wakeAll();
    }
  };
  await Promise.all(workers.map(work));
  if (failure !== null) throw (failure as { error: unknown }).error;
}
