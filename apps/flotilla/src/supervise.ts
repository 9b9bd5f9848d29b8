import { setTimeout as delay } from 'node:timers/promises';

/** A process of ours that may end by itself. */
export type Supervised = {
  exited: Promise<void>;
  tail(): string;
  /** The signal that ended it; null if none did. */
  endedBy(): string | null;
  stop(): Promise<void>;
};

const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** One that ends sooner does not run again yet: on a full disk Redis starts, and ends at its first write. */
const LASTING_MS = 10_000;
const NO_SPACE = /no space left|short write/i;

/**
 * Starts a store, and starts it again whenever it ends by itself, ever more slowly while that fails: a full disk is freed one day,
 * and until then the api and the worker wait for the store as for any other. Until it lasts, each fault is reported once.
 */
export async function supervise<Store extends Supervised>(
  name: string,
  start: (before: Store | null) => Promise<Store>,
  report: (line: string) => void,
): Promise<{ first: Store; stop(): Promise<void> }> {
  const first = await start(null);
  const stopping = new AbortController();
  const { signal } = stopping;
  let running = first;
  const runsFor = (ms: number): Promise<boolean> =>
    Promise.race([running.exited.then(() => false), delay(ms, true, { signal, ref: false })]);
  const startUntilItLasts = async (): Promise<void> => {
    const told = new Set<string>();
    const reportOnce = (fault: string) => {
      const [sentence = ''] = fault.split('\n');
      if (!told.has(sentence)) report(fault);
      told.add(sentence);
    };
    reportOnce(endOf(name, running));
    for (let pauseMs = PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      await delay(pauseMs, undefined, { signal });
      try {
        running = await start(running);
        if (await runsFor(LASTING_MS)) return report(`${name} runs again.`);
        reportOnce(endOf(name, running));
      } catch (error) {
        if (signal.aborted) return;
        reportOnce(`${name} does not start, and is tried again: ${(error as Error).message}`);
      }
    }
  };
  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      await running.exited;
      if (!signal.aborted) await startUntilItLasts();
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

function endOf(name: string, { endedBy, tail }: Supervised): string {
  const signal = endedBy();
  if (signal !== null) {
    const why = signal === 'SIGKILL' ? ', as the kernel does when memory runs out' : '';
    return `${name} was ended by ${signal}${why}, and is started again.`;
  }
  const said = tail();
  if (NO_SPACE.test(said)) return `${name} ended, because its disk is full. It is started again until there is room.`;
  return `${name} ended by itself, and is started again. It said:\n${said}`;
}
