/** Messages a bot may send, in all per second and into one chat per minute. */
export type FloodLimits = { perSecond: number; perChatPerMinute: number };
