import type { Clock } from './clock.ts';

/** A value, and when (ms) it was taken. */
export type Taken<Value> = { value: Value; atMs: number };

/** When a value is read again, by its age and by the time since somebody asked for it (all ms). */
export type RefreshAges = {
  /** A younger value is returned and not read again. */
  freshMs: number;
  /** A younger value is returned, and read again in the background. An older one is not returned. */
  servedMs: number;
  /** For so long after a call the value is kept young enough to be returned at once. */
  wantedMs: number;
};

/**
 * Returns the last value while it is young enough, else the next one. Reads once at a time; a failed read is repeated by the
 * next call. `isAwaited` says whether somebody waits for it.
 */
export function refreshed<Value>(
  clock: Clock,
  { freshMs, servedMs, wantedMs }: RefreshAges,
  read: (isAwaited: boolean) => Promise<Value>,
): () => Promise<Taken<Value>> {
  let last: Taken<Value> | null = null;
  let reading: Promise<Taken<Value>> | null = null;
  let calledAtMs = 0;
  let renewal: NodeJS.Timeout | undefined;
  const readNext = async (isAwaited: boolean): Promise<Taken<Value>> => {
    const atMs = clock.nowMs();
    last = { value: await read(isAwaited), atMs };
    clearTimeout(renewal);
    // A read takes much less than the time for which a value is fresh.
    if (atMs - calledAtMs < wantedMs) renewal = setTimeout(() => readOnce(false).catch(() => {}), servedMs - freshMs);
    renewal?.unref();
    return last;
  };
  const readOnce = (isAwaited: boolean): Promise<Taken<Value>> => {
    reading ??= readNext(isAwaited).finally(() => {
      reading = null;
    });
    return reading;
  };
  return () => {
    calledAtMs = clock.nowMs();
    const ageMs = last === null ? Number.POSITIVE_INFINITY : calledAtMs - last.atMs;
    if (last !== null && ageMs < freshMs) return Promise.resolve(last);
    const isAwaited = last === null || ageMs >= servedMs;
    const next = readOnce(isAwaited);
    if (last === null || isAwaited) return next;
    next.catch(() => {});
    return Promise.resolve(last);
  };
}
