const EVERY_MS = 10_000;

/**
 * Says the first of many alike at once and after that at most one every 10 s, with how many were left out in between:
 * a store that is away fails thousands of calls a second, and one line tells as much.
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
