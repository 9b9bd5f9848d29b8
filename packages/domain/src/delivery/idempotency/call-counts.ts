type Limits = { inAll: number; ofBot: number };

/** Counts calls of bots, so that no bot takes the room of all others. */
export function callCounts(most: Limits) {
  const ofBots = new Map<number, number>();
  let inAll = 0;
  return {
    hasRoom: (botId: number): boolean => inAll < most.inAll && (ofBots.get(botId) ?? 0) < most.ofBot,
    add: (botId: number, calls: 1 | -1): void => {
      inAll += calls;
      const ofBot = (ofBots.get(botId) ?? 0) + calls;
      if (ofBot === 0) ofBots.delete(botId);
      else ofBots.set(botId, ofBot);
    },
  };
}
