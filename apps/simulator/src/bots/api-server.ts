/** One of the Bot API servers that run beside each other; each gives update ids of its own. */
export type ApiServer = {
  name: string;
  /** The next update id of bots that were here, by bot. */
  nextUpdateIds: Map<number, number>;
  /** Until when (ms) bots that logged out may not come back, by bot. */
  refusedUntilMs: Map<number, number>;
};

export function newServer(name: string): ApiServer {
  return { name, nextUpdateIds: new Map(), refusedUntilMs: new Map() };
}
