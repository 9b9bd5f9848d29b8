const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 30_000;
/** The platform may refuse a token for a second only. */
const REFUSED_DELAY_MS = 3_000;
const HOPELESS_DELAY_MS = 60_000;

/**
 * The delay (ms) before the next getUpdates after so many failures in a row: exactly what the platform asked for, else
 * 3 s for a token that is refused for the first time and a minute if it is refused again, else 1, 2, 4 … 30 s. All but
 * the first get up to a quarter more, so that bots do not return all at once.
 */
export function nextTryInMs(
  failuresInARow: number,
  failure: { pause: 'short' | 'long'; retryAfterS?: number },
  wasRefusedBefore: boolean,
): number {
  if (failure.retryAfterS !== undefined) return failure.retryAfterS * 1000;
  const grown = Math.min(FIRST_DELAY_MS * 2 ** Math.min(failuresInARow - 1, 10), LONGEST_DELAY_MS);
  const refused = wasRefusedBefore ? HOPELESS_DELAY_MS : REFUSED_DELAY_MS;
  return (failure.pause === 'long' ? refused : grown) * (1 + Math.random() / 4);
}
