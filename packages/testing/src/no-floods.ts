/** The floods of bots that have none. */
export const NO_FLOODS = { statusOf: () => null };
