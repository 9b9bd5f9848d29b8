/** The source of time, so that a test can stop it. Milliseconds since the Unix epoch. */
export type Clock = { nowMs(): number };

export const systemClock: Clock = { nowMs: () => Date.now() };
