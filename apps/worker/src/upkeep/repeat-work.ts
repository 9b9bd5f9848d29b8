import type { WorkerContext } from '../context.ts';

type RepeatedWork = {
  everyMs: number;
  work(signal: AbortSignal): Promise<void>;
  /** The log message when a run fails; the next run makes up for it. */
  failure: string;
};

/**
 * Does the work now, and then every `everyMs`, one run at a time: a run that takes longer takes the place of the next ones.
 * `stop` aborts the signal and waits for the run.
 */
export function repeatWork(
  { log }: Pick<WorkerContext, 'log'>,
  { everyMs, work, failure }: RepeatedWork,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let running: Promise<void> | null = null;
  const run = () => {
    running ??= work(stopping.signal)
      .catch((error) => log.warn({ reason: String(error) }, failure))
      .finally(() => {
        running = null;
      });
  };
  run();
  const timer = setInterval(run, everyMs);
  return {
    stop: async () => {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}
