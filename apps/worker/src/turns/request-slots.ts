/** How many requests to backends a worker may have under way, shared so that no bot can take all of them. */
export type RequestSlots = {
  /** How many of the wanted ones may be begun now; at most half of what is free, and at least one while any is. */
  offer(wanted: number): number;
  take(): void;
  giveBack(): void;
};

export function requestSlots(limit: number): RequestSlots {
  let taken = 0;
  return {
    offer: (wanted) => Math.max(0, Math.min(wanted, Math.ceil((limit - taken) / 2))),
    take: () => {
      taken += 1;
    },
    giveBack: () => {
      taken -= 1;
    },
  };
}
