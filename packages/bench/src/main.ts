import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cpus, totalmem } from 'node:os';
import { NODE_ENV_FILE } from '@flotilla/runtime/program-entry.ts';
import { SUBJECTS } from './subjects.ts';

/**
 * The simulated platform and the backends are in the process of their subject. It collects its garbage in short pauses, so that
 * it measures the lag of others and not its own.
 */
const LOAD_FLAGS = ['--max-semi-space-size=8', '--no-allocation-site-pretenuring'];

/**
 * `npm run bench [proxy|push|delay|pull|fleet|history|bots|console|live|polled|neighbours|programs|flood|search|inbox|removal|outbox|broadcast|sizing|rest|router|scale|masters|download|soak …] [number]`
 * Prints the figures of one run on this machine with their targets. The number is the count of bots for polled and masters, of messages
 * for search, inbox and removal, of chats for broadcast and flood (1 or 10), of records for history, of listed entries for outbox, or the
 * minutes of the soak.
 */
async function bench(wanted: string[]): Promise<void> {
  const memoryGb = Math.round(totalmem() / 2 ** 30);
  process.stdout.write(
    `Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model.trim()}), ${memoryGb} GB\n`,
  );
  const numbers = wanted.filter((word) => Number(word) > 0);
  const names = wanted.filter((word) => Number.isNaN(Number(word)));
  for (const name of Object.keys(SUBJECTS)) {
    if (names.length === 0 || names.includes(name)) await measure(name, numbers.slice(0, 1));
  }
}

/** In a process of its own, so that no subject finds the garbage of another. */
async function measure(name: string, number: string[]): Promise<void> {
  const child = fork(new URL('./measure-subject.ts', import.meta.url), [name, ...number], {
    // The history is written by the subject itself, which prepares Node as a worker does.
    execArgv: name === 'history' ? [`--env-file=${NODE_ENV_FILE}`] : LOAD_FLAGS,
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the bench of ${name} failed`);
}

await bench(process.argv.slice(2));
process.exit(0);
