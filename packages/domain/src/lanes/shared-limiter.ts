/** A limit that all turns of a process share, so that none can take all of it. */
export type SharedLimiter = {
  /**
   * How many of the wanted ones may be taken now: at most half of the free ones, at least one while any is free, and
   * never so many that one holder would have more than a quarter of the limit.
   */
  offer(wanted: number, holder?: string): number;
  take(holder?: string): void;
  giveBack(holder?: string): void;
  taken(): number;
};

export function sharedLimiter(limit: number): SharedLimiter {
  const heldBy = new Map<string, number>();
  const held = (holder: string) => heldBy.get(holder) ?? 0;
  let taken = 0;
  return {
    offer: (wanted, holder = '') => {
      const left = holder === '' ? limit : Math.ceil(limit / 4) - held(holder);
      return Math.max(0, Math.min(wanted, Math.ceil((limit - taken) / 2), left));
    },
    take: (holder = '') => {
      taken += 1;
      heldBy.set(holder, held(holder) + 1);
    },
    giveBack: (holder = '') => {
      taken -= 1;
      if (held(holder) > 1) heldBy.set(holder, held(holder) - 1);
      else heldBy.delete(holder);
    },
    taken: () => taken,
  };
}
