import { FlotillaError } from './flotilla-error.ts';
import { runMain } from './lifecycle.ts';

/** Runs a command that ends by itself, with the exit code that it resolves to. A signal of the process stops it. */
export function runCommand(name: string, command: (stopping: AbortSignal) => Promise<number>): void {
  runMain(
    name,
    async () => {
      const stopping = new AbortController();
      const work = command(stopping.signal).then(
        (exitCode) => {
          process.exitCode = exitCode;
        },
        // The error of a stopped command says less than the reason for stopping it.
        (error: unknown) => Promise.reject(stopping.signal.aborted ? stopping.signal.reason : error),
      );
      return {
        stop: async () => {
          stopping.abort(new FlotillaError('unavailable', 'The command was stopped before it was done; run it again.'));
          await work;
        },
      };
    },
    { plain: true },
  );
}
