import { setTimeout as delay } from 'node:timers/promises';

/** Repeats an attempt until it succeeds. Faults that waiting does not end are thrown. */
export type Retry = <T>(attempt: () => Promise<T>) => Promise<T>;

const TRY_AGAIN_MS = 1000;

/**
 * How a process that starts waits for its stores. While a store is away it tries again every second, and calls `onWait` once,
 * before the second try. Rejects with the signal's reason when that aborts.
 */
export function retryWhileAway(options: {
  isAway(error: unknown): boolean;
  onWait(error: unknown): void | Promise<void>;
  signal?: AbortSignal | undefined;
}): Retry {
  const { isAway, onWait, signal } = options;
  let waited = false;
  return async (attempt) => {
    for (;;) {
      try {
        return await untilAborted(attempt(), signal);
      } catch (error) {
        if (signal?.aborted || !isAway(error)) throw error;
        if (!waited) await onWait(error);
        waited = true;
      }
      await delay(TRY_AGAIN_MS, undefined, signal === undefined ? {} : { signal });
    }
  };
}

/** An attempt may take seconds to fail. A process that is told to stop does not wait for it. */
async function untilAborted<T>(attempt: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return attempt;
  signal.throwIfAborted();
  const settled = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { signal: settled.signal });
  });
  return Promise.race([attempt, aborted]).finally(() => settled.abort());
}
