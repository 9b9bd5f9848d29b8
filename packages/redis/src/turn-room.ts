/** The turns of one part of a queue that a worker has taken. */
export type PartLoad = {
  /** Not held; includes those that wait for room. */
  running: number;
  held: number;
  waiting: number;
};

/**
 * BullMQ fetches jobs one by one, as many as it may run at once, before it starts the first of them. Hundreds would wait
 * for each other, and their locks, which are renewed from the start on, would end meanwhile.
 */
const FETCHED_AHEAD = 16;

/**
 * How many more turns a part may take now. Free room is shared equally, so a part that could fill the worker leaves room
 * for one turn of each other part. A part below its share also takes one turn that waits, and gets the next free room.
 */
export function moreTurns(
  { running, waiting }: PartLoad,
  { concurrency, free, parts }: { concurrency: number; free: number; parts: number },
): number {
  const isBelowShare = running < Math.max(1, Math.floor(concurrency / parts));
  return Math.min(FETCHED_AHEAD, Math.max(Math.floor(free / parts), isBelowShare && waiting === 0 ? 1 : 0));
}

/** Room for this many turns to run at once; the others enter in the order in which they came. */
export function runningTurns(atMost: number) {
  const waiting = new Set<() => void>();
  let running = 0;
  return {
    enter: async (): Promise<void> => {
      if (running < atMost) running += 1;
      else await new Promise<void>((resolve) => waiting.add(resolve));
    },
    leave: () => {
      const [next] = waiting;
      if (next === undefined) {
        running -= 1;
      } else {
        waiting.delete(next);
        next();
      }
    },
  };
}
