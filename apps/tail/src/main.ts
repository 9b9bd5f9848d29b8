import { runMain } from '@flotilla/runtime/lifecycle.ts';
import { tail } from './tail.ts';
import { readTailOptions, USAGE } from './tail-options.ts';

const print = (line: string) => process.stdout.write(`${line}\n`);

// npm run tail -- --bot <id> --to <url> …
runMain(
  'tail',
  async () => {
    const options = readTailOptions(process.argv.slice(2));
    if (options === null) {
      print(USAGE);
      process.exit(0);
    }
    const stopping = new AbortController();
    const work = tail(options, print, stopping.signal);
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
