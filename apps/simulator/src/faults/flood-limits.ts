/** How many messages a bot may send: per second in all, and per minute into one chat. */
export type FloodLimits = { perSecond: number; perChatPerMinute: number };
