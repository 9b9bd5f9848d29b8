const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 30_000;
const HOPELESS_DELAY_MS = 60_000;

/**
 * How long (ms) to leave the platform alone after so many failures in a row: 1, 2, 4 … 30 s, a minute for a token it
 * refuses, or what it asked for; with up to a quarter more, so that bots do not all come back at once.
 */
export function nextTryInMs(
  failuresInARow: number,
  failure: { patience: 'short' | 'long'; retryAfterS?: number },
  random: () => number = Math.random,
): number {
  if (failure.retryAfterS !== undefined) return failure.retryAfterS * 1000;
  const grown = Math.min(FIRST_DELAY_MS * 2 ** Math.min(failuresInARow - 1, 10), LONGEST_DELAY_MS);
  return (failure.patience === 'long' ? HOPELESS_DELAY_MS : grown) * (1 + random() / 4);
}
