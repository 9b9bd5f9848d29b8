/** A limit that all turns of a process share, so that no holder can take all of it. */
export type SharedLimiter = {
  /**
   * How many of the wanted ones may be taken now: at most half of the free ones, and never so many that one holder
   * would have more than a third of what stays free. So one holder gets a quarter of the limit, and the more
   * holders hang, the less each of them gets.
   */
  offer(wanted: number, holder?: string): number;
  take(holder?: string): void;
  /**
   * Takes one as soon as the holder may have one more, since others may have taken what was offered. Those who wait are served in the
   * order of asking. False when it takes longer than this, or the signal aborts.
   */
  takeSoon(holder: string, withinMs: number, signal?: AbortSignal): Promise<boolean>;
  giveBack(holder?: string): void;
  taken(): number;
  /** True when the holder has its whole share and gave nothing back for a second: no room is likely to come free soon. */
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
  const tryTake = (holder: string) => {
    const isFree = offer(1, holder) > 0;
    if (isFree) take(holder);
    return isFree;
  };
  /** Who waits for one, by holder. */
  const waiting = new Map<string, Set<() => void>>();
  const passOn = (holder: string) => {
    const [proceed] = waiting.get(holder) ?? [];
    if (proceed === undefined || !tryTake(holder)) return false;
    proceed();
    return true;
  };
  return {
    offer,
    take,
    takeSoon: async (holder, withinMs, signal) => {
      if (tryTake(holder)) return true;
      if (signal?.aborted) return false;
      return new Promise((resolve) => {
        const queue = waiting.get(holder) ?? new Set();
        waiting.set(holder, queue);
        const end = (taken: boolean) => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', giveUp);
          queue.delete(proceed);
          if (queue.size === 0) waiting.delete(holder);
          resolve(taken);
        };
        const proceed = () => end(true);
        const giveUp = () => end(false);
        const timer = setTimeout(giveUp, withinMs);
        signal?.addEventListener('abort', giveUp);
        queue.add(proceed);
      });
    },
    giveBack: (holder = '') => {
      taken -= 1;
      const held = heldBy.get(holder);
      if (held === undefined || held.count === 1) heldBy.delete(holder);
      else heldBy.set(holder, { count: held.count - 1, movedAtMs: nowMs() });
      if (waiting.size === 0 || passOn(holder)) return;
      // The next holder in turn that may have one more gets it: some have their whole share.
      for (const [other, queue] of [...waiting]) {
        waiting.delete(other);
        waiting.set(other, queue);
        if (passOn(other)) return;
      }
    },
    taken: () => taken,
    isStuck: (holder) => {
      const held = heldBy.get(holder);
      return held !== undefined && leftFor(holder) <= 0 && nowMs() - held.movedAtMs > STUCK_AFTER_MS;
    },
  };
}
