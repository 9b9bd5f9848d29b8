/** A limit over all turns of a process, shared so that none can take all of it. */
export type SharedSlots = {
  /** How many of the wanted ones may be taken now: at most half of what is free, and at least one while any is. */
  offer(wanted: number): number;
  take(): void;
  giveBack(): void;
  taken(): number;
};

export function sharedSlots(limit: number): SharedSlots {
  let taken = 0;
  return {
    offer: (wanted) => Math.max(0, Math.min(wanted, Math.ceil((limit - taken) / 2))),
    take: () => {
      taken += 1;
    },
    giveBack: () => {
      taken -= 1;
    },
    taken: () => taken,
  };
}
