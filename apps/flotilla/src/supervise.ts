import { setTimeout as delay } from 'node:timers/promises';

/** A process of ours that may end by itself. */
export type Supervised = { exited: Promise<void>; tail(): string; stop(): Promise<void> };

const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const NO_SPACE = /no space left/i;

/**
 * Starts a store, and starts it again whenever it ends by itself, ever more slowly while that fails: a full disk is freed one day,
 * and until then the api and the worker wait for the store as for any other.
 */
export async function supervise<Store extends Supervised>(
  name: string,
  start: (before: Store | null) => Promise<Store>,
  report: (line: string) => void,
): Promise<{ first: Store; stop(): Promise<void> }> {
  const first = await start(null);
  const stopping = new AbortController();
  let running = first;
  const startAgain = async (): Promise<void> => {
    for (let pauseMs = PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      await delay(pauseMs, undefined, { signal: stopping.signal });
      try {
        running = await start(running);
        return report(`${name} runs again.`);
      } catch (error) {
        report(`${name} does not start, and is tried again: ${(error as Error).message}`);
      }
    }
  };
  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await running.exited;
      if (stopping.signal.aborted) return;
      const said = running.tail();
      const why = NO_SPACE.test(said) ? ', because its disk is full' : '';
      report(`${name} ended by itself${why}, and is started again. It said:\n${said}`);
      await startAgain();
    }
  };
  const watching = watch().catch(() => undefined);
  return {
    first,
    stop: async () => {
      stopping.abort();
      await running.stop();
      await watching;
      // The one that was just starting.
      await running.stop();
    },
  };
}
