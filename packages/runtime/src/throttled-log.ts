const EVERY_MS = 10_000;

/**
 * Logs the first of many similar events at once, then at most one every 10 s with the number of those left out. A store
 * that is away fails thousands of calls per second, and one line says as much.
 */
export function throttledLog<T>(say: (what: T, leftOut: number) => void): (what: T) => void {
  let saidAtMs = Number.NEGATIVE_INFINITY;
  let leftOut = 0;
  return (what) => {
    if (performance.now() - saidAtMs < EVERY_MS) {
      leftOut += 1;
      return;
    }
    say(what, leftOut);
    saidAtMs = performance.now();
    leftOut = 0;
  };
}
