/** Where code reads the time, so that a test can hold it still. Milliseconds since the Unix epoch. */
export type Clock = { nowMs(): number };

export const systemClock: Clock = { nowMs: () => Date.now() };
