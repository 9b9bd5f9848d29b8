import type { RouteLink } from '../history/route-links.ts';

/** The turn that sends. It knows whether it still owns the bot's rules, and stores the progress. */
export type RoutingTurn = {
  ownsTurn(): boolean;
  signal: AbortSignal;
  /** Stores the progress of the unit; false when another turn owns it now. */
  note(links: RouteLink[]): Promise<boolean>;
};
