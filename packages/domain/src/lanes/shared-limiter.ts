/** A limit that all turns of a process share, so that none can take all of it. */
export type SharedLimiter = {
  /**
   * How many of the wanted ones may be taken now: at most half of the free ones, and never so many that one holder
   * would have more than a third of what stays free. So one holder gets a quarter of the limit, and the more
   * holders hang, the less each of them gets.
   */
  offer(wanted: number, holder?: string): number;
  take(holder?: string): void;
  /** Takes one if the holder may have one more; others may have taken what was offered. */
  tryTake(holder: string): boolean;
  giveBack(holder?: string): void;
  taken(): number;
  /** Whether the holder has its whole share and has given nothing back for a second, so that room is not to be expected. */
  isStuck(holder: string): boolean;
};

const STUCK_AFTER_MS = 1_000;

type Held = { count: number; movedAtMs: number };

export function sharedLimiter(limit: number, nowMs: () => number = () => performance.now()): SharedLimiter {
  const heldBy = new Map<string, Held>();
  let taken = 0;
  const leftFor = (holder: string) => Math.ceil((limit - taken - 3 * (heldBy.get(holder)?.count ?? 0)) / 4);
  const offer = (wanted: number, holder = '') => {
    const left = holder === '' ? limit : leftFor(holder);
    return Math.max(0, Math.min(wanted, Math.ceil((limit - taken) / 2), left));
  };
  const take = (holder = '') => {
    taken += 1;
    const held = heldBy.get(holder);
    if (held === undefined) heldBy.set(holder, { count: 1, movedAtMs: nowMs() });
    else held.count += 1;
  };
  return {
    offer,
    take,
    tryTake: (holder) => {
      const isFree = offer(1, holder) > 0;
      if (isFree) take(holder);
      return isFree;
    },
    giveBack: (holder = '') => {
      taken -= 1;
      const held = heldBy.get(holder);
      if (held === undefined || held.count === 1) heldBy.delete(holder);
      else heldBy.set(holder, { count: held.count - 1, movedAtMs: nowMs() });
    },
    taken: () => taken,
    isStuck: (holder) => {
      const held = heldBy.get(holder);
      return held !== undefined && leftFor(holder) <= 0 && nowMs() - held.movedAtMs > STUCK_AFTER_MS;
    },
  };
}
