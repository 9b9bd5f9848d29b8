const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 30_000;
const HOPELESS_DELAY_MS = 60_000;

/**
 * The delay (ms) before the next getUpdates after so many failures in a row: exactly what the platform asked for, else
 * a minute for a refused token, else 1, 2, 4 … 30 s. The last two get up to a quarter more, so that bots do not return
 * all at once.
 */
export function nextTryInMs(
  failuresInARow: number,
  failure: { patience: 'short' | 'long'; retryAfterS?: number },
): number {
  if (failure.retryAfterS !== undefined) return failure.retryAfterS * 1000;
  const grown = Math.min(FIRST_DELAY_MS * 2 ** Math.min(failuresInARow - 1, 10), LONGEST_DELAY_MS);
  return (failure.patience === 'long' ? HOPELESS_DELAY_MS : grown) * (1 + Math.random() / 4);
}
