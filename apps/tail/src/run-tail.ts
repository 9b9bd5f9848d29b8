import { runMain } from '@flotilla/runtime/lifecycle.ts';
import { tail } from './tail.ts';
import { readTailOptions } from './tail-options.ts';

/** Runs until a signal comes, or until the first update with `once`. */
export function runTail(given: Record<string, unknown>): void {
  runMain(
    'tail',
    async () => {
      const options = readTailOptions(given);
      const stopping = new AbortController();
      const work = tail(options, (line) => process.stdout.write(`${line}\n`), stopping.signal);
      return {
        // The channel to the launcher would keep a process alive that has nothing left to do.
        failed: work.then(() => (stopping.signal.aborted ? new Promise<never>(() => undefined) : process.exit(0))),
        stop: async () => {
          stopping.abort();
          await work;
        },
      };
    },
    { plain: true },
  );
}
