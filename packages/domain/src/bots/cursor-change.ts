/** What a change of a bot does to updates that wait. */
export type CursorChange = {
  /** Pull and push hand their cursor to each other, as in the platform's single queue. */
  handOver?: boolean;
  dropPending?: boolean;
  /** A program for which waiting updates are dropped. */
  dropPendingOf?: number;
  /** Updates that wait for a retry become due now. */
  retryNow?: boolean;
};

/**
 * The same with the revision of its change. It is stored with the bot, since another process than the one that made the
 * change may be the first to apply it to Redis, or the only one. `apply-bot.lua` does what is above the revision that Redis
 * has.
 */
export type StoredCursorChange = CursorChange & { revision: number };

/** True if there is something to store. */
export function changesCursors({ handOver, dropPending, dropPendingOf, retryNow }: CursorChange): boolean {
  return Boolean(handOver || dropPending || retryNow) || dropPendingOf !== undefined;
}
