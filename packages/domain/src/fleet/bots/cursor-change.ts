/** The effect of a change of a bot on the cursors of its readers. */
export type CursorChange = {
  /** Pull and push hand their cursor to each other, as in the platform's single queue. */
  handOver?: boolean;
  /** Updates that wait for a retry become due now. */
  retryNow?: boolean;
};

/**
 * The same with the revision of its change. It is stored with the bot, since another process than the one that made the
 * change may be the first to apply it to Redis, or the only one. `apply-bot.lua` does what is above the revision that Redis
 * has.
 */
export type StoredCursorChange = CursorChange & { revision: number };

/**
 * Drops what waits now. It is not stored: done later, or again after Redis lost its last moments, it would drop what
 * came since.
 */
export type Dropped = {
  dropPending?: boolean;
  /** A program for which waiting updates are dropped. */
  dropPendingOf?: number;
};
