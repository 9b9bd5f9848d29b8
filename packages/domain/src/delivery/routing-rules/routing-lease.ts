import type { RouteLink } from '../../records/history/route-links.ts';

/** Tells whether the turn that sends still owns the rules of the bot, and stores the progress of its unit. */
export type RoutingLease = {
  ownsTurn(): boolean;
  signal: AbortSignal;
  /** Stores the progress, and the links of what was sent; false when another turn owns the rules now. */
  storeProgress(links: RouteLink[]): Promise<boolean>;
};
