import { SettingsError } from './env.ts';
import { createLogger } from './logger.ts';

const STOP_DEADLINE_MS = 25_000;

/**
 * Runs a process: `start` once, `stop` once on SIGTERM, SIGINT or when the parent that holds our IPC channel is gone;
 * then exit 0, or 1 when stopping fails or takes over 25 s. Unhandled errors are logged and end the process with 1.
 */
export function runMain(name: string, start: () => Promise<{ stop(): Promise<void> }>): void {
  const log = createLogger({ name, level: 'info' });
  let stopping = false;

  const die = (message: string, error: unknown): never => {
    if (error instanceof SettingsError) process.stderr.write(`${name}: ${error.message}\n`);
    else log.fatal({ err: error }, message);
    process.exit(1);
  };
  process.on('uncaughtException', (error) => die('unhandled error', error));
  process.on('unhandledRejection', (error) => die('unhandled rejection', error));

  const started = start().catch((error: unknown) => die('could not start', error));
  const stop = (reason: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ reason }, 'stopping');
    setTimeout(() => die('did not stop in time', undefined), STOP_DEADLINE_MS).unref();
    started
      .then((running) => running.stop())
      .then(() => process.exit(0))
      .catch((error: unknown) => die('could not stop', error));
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  // A launcher that was killed cannot signal us; its end of the channel closes instead.
  if (process.connected) process.on('disconnect', () => stop('the launcher is gone'));
}
