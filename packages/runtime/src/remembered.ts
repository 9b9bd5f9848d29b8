import type { Clock } from './clock.ts';

/** Repeats a value that was asked for less than `forMs` ago. A failure is not remembered. */
export function remembered<Value>(clock: Clock, forMs: number, read: () => Promise<Value>): () => Promise<Value> {
  let last: { value: Promise<Value>; atMs: number } | null = null;
  return () => {
    if (last === null || clock.nowMs() - last.atMs >= forMs) {
      const value = read();
      last = { value, atMs: clock.nowMs() };
      value.catch(() => {
        last = null;
      });
    }
    return last.value;
  };
}
