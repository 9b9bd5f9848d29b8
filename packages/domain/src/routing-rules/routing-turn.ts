import type { RouteLink } from '../history/route-links.ts';

/** The turn that sends: whether it still owns the bot's rules, and where it writes down how far it came. */
export type RoutingTurn = {
  held(): boolean;
  signal: AbortSignal;
  /** Stores the progress of the update; false when somebody else owns it now. */
  note(links: RouteLink[]): Promise<boolean>;
};
