import type { Clock } from './clock.ts';

/** A value, and when (ms) it was taken. */
export type Taken<Value> = { value: Value; atMs: number };

/**
 * Returns the last value if it is younger than `freshMs`. One younger than `servedMs` is returned as well, while the next one
 * is read. Reads once at a time; a failed read is repeated by the next call. `isAwaited` says whether somebody waits for it.
 */
export function refreshed<Value>(
  clock: Clock,
  { freshMs, servedMs }: { freshMs: number; servedMs: number },
  read: (isAwaited: boolean) => Promise<Value>,
): () => Promise<Taken<Value>> {
  let last: Taken<Value> | null = null;
  let reading: Promise<Taken<Value>> | null = null;
  const readNext = async (isAwaited: boolean): Promise<Taken<Value>> => {
    const atMs = clock.nowMs();
    last = { value: await read(isAwaited), atMs };
    return last;
  };
  return () => {
    const ageMs = last === null ? Number.POSITIVE_INFINITY : clock.nowMs() - last.atMs;
    if (last !== null && ageMs < freshMs) return Promise.resolve(last);
    const isAwaited = last === null || ageMs >= servedMs;
    reading ??= readNext(isAwaited).finally(() => {
      reading = null;
    });
    if (last === null || isAwaited) return reading;
    reading.catch(() => {});
    return Promise.resolve(last);
  };
}
