import { setTimeout as delay } from 'node:timers/promises';
import { SettingsError } from './env.ts';
import { FlotillaError } from './flotilla-error.ts';
import { returnIdleMemory } from './idle-memory.ts';
import { createLogger, redactSecrets } from './logger.ts';

const STOP_DEADLINE_MS = 25_000;
/** On Ctrl-C, the terminal and npm both send the signal, so a second one within this time is the same request. */
const SAME_WISH_MS = 1000;

export type MainOptions = {
  /** For a program started at a terminal: prints sentences instead of JSON lines. */
  plain?: boolean;
};

/**
 * Runs a process. `start` runs once; `stop` runs once on SIGTERM, SIGINT, SIGHUP, or when the parent that holds our IPC
 * channel is gone. Exits with 0, or with 1 when stopping fails or takes over 25 s. A second signal, at least a second
 * later, exits with 1 at once. Unhandled errors are logged and exit with 1. A long start must give up when its signal
 * aborts; a start that fails only after it has resolved rejects `failed`.
 */
export function runMain(
  name: string,
  start: (stopping: AbortSignal) => Promise<{ stop(): Promise<void>; failed?: Promise<never> }>,
  options: MainOptions = {},
): void {
  const say = options.plain ? sentences() : logLines(name);
  let askedAtMs: number | null = null;

  const die = (message: string, error: unknown): never => {
    say.failed(message, error);
    process.exit(1);
  };
  process.on('uncaughtException', (error) => die('unhandled error', error));
  process.on('unhandledRejection', (error) => die('unhandled rejection', error));

  // Started in a microtask, so that the signal handlers below exist before the start begins.
  const stopping = new AbortController();
  const started = Promise.resolve()
    .then(() => start(stopping.signal))
    .catch((error: unknown) => (stopping.signal.aborted ? process.exit(0) : die('could not start', error)));
  started.then(() => returnIdleMemory());
  started.then((running) =>
    // When the process is told to stop, this fails too. `stop` then ends the process.
    running.failed?.catch((error: unknown) => stopping.signal.aborted || die('could not start', error)),
  );
  const stop = (reason: string) => {
    if (askedAtMs !== null) return;
    askedAtMs = performance.now();
    say.stopping(reason);
    stopping.abort(new Error('the process stops'));
    setTimeout(() => die('did not stop in time', undefined), STOP_DEADLINE_MS).unref();
    started
      .then((running) => running.stop())
      .then(() => process.exit(0))
      .catch((error: unknown) => die('could not stop', error));
  };
  const signalled = (signal: string) => {
    const again = askedAtMs !== null && performance.now() - askedAtMs >= SAME_WISH_MS;
    if (again) die(`asked again to stop (${signal})`, undefined);
    stop(signal);
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => signalled(signal));
  // A killed launcher cannot send a signal, but its end of the channel closes.
  if (process.connected) process.on('disconnect', () => stop('the launcher is gone'));
}

function logLines(name: string) {
  const log = createLogger({ name, level: 'info' });
  return {
    stopping: (reason: string) => log.info({ reason }, 'stopping'),
    failed: (message: string, error: unknown) => {
      if (error instanceof SettingsError) process.stderr.write(`${name}: ${error.message}\n`);
      else log.fatal({ err: error }, message);
    },
  };
}

function sentences() {
  return {
    stopping: () => process.stdout.write('\nstopping …\n'),
    failed: (message: string, error: unknown) => process.stderr.write(`${redactSecrets(sentence(message, error))}\n`),
  };
}

function sentence(message: string, error: unknown): string {
  if (error instanceof SettingsError || error instanceof FlotillaError) return error.message;
  return error instanceof Error ? `${error.stack}` : `It ${message}.`;
}

export type StopStep = { name: string; withinMs: number; stop: () => Promise<void> };

/** Runs the steps in order. A step that fails or exceeds its time is logged and given up. Never rejects. */
export async function stopInOrder(
  log: { warn(fields: object, message: string): void },
  steps: StopStep[],
): Promise<void> {
  for (const { name, withinMs, stop } of steps) {
    const waiting = new AbortController();
    const late = delay(withinMs, 'late' as const, { signal: waiting.signal }).catch(() => 'late' as const);
    const stopped = Promise.resolve()
      .then(stop)
      .catch((error: unknown) => log.warn({ name, reason: String(error) }, 'could not be stopped'));
    if ((await Promise.race([stopped, late])) === 'late') log.warn({ name, withinMs }, 'did not stop in time');
    waiting.abort();
  }
}
