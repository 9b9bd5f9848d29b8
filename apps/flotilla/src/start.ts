import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readConfig } from '@flotilla/api/config.ts';
import { apiPart } from '@flotilla/api/start.ts';
import { type RunningParts, startParts } from '@flotilla/domain/startup/start-parts.ts';
import { freePort } from '@flotilla/embedded/free-port.ts';
import { ownData } from '@flotilla/embedded/own-data.ts';
import { inheritedEnv, readSettings } from '@flotilla/runtime/env.ts';
import { createLogger, type Logger, logFile } from '@flotilla/runtime/logger.ts';
import { MAY_BE_EMPTY } from '@flotilla/sandbox/config.ts';
import type { Demo } from '@flotilla/sandbox/start-demo.ts';
import { readWorkerConfig } from '@flotilla/worker/config.ts';
import { workerPart } from '@flotilla/worker/start.ts';
import { bringStores } from './bring-stores.ts';
import { type OneProcessSettings, SETTINGS } from './config.ts';
import { type Kept, keepSecrets, readKept } from './kept-settings.ts';
import { migrateFirst } from './migrate-first.ts';
import { requireFreePort } from './require-free-port.ts';
import { consoleUrlOf, firstSignIn, reachable, welcome } from './welcome.ts';

export type RunOptions = {
  dataDir: string;
  /** A simulated platform with a bot to try. */
  demo: boolean;
  /** Of the demonstration: without its bot. */
  empty: boolean;
  /** True if a person looks at the output, so that the log goes into a file. */
  isTerminal: boolean;
};

type Env = Record<string, string | undefined>;
type Run = {
  options: RunOptions;
  /** The environment, without what is empty. */
  given: Env;
  settings: OneProcessSettings;
  dataDir: string;
  /** True if a store is not named. */
  brings: boolean;
  log: Logger;
  report: (line: string) => void;
  onStop(stop: () => Promise<unknown>): void;
};

/**
 * Runs an api and a worker with all roles in this process, over the stores that are named or those that it brings. Stops them first,
 * then the stores. Rejects with a FlotillaError whose message is for the person at the terminal, after stopping what was started.
 */
export async function startFlotilla(
  options: RunOptions,
  stopping: AbortSignal,
): Promise<{ stop(): Promise<void>; failed: Promise<never> }> {
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    const running = await start(options, (one) => stops.push(one), stopping);
    return { failed: running.failed, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(options: RunOptions, onStop: Run['onStop'], stopping: AbortSignal): Promise<RunningParts> {
  const run = await prepare(options, onStop);
  const { settings, dataDir, brings, given } = run;
  const kept = brings || options.demo ? await keepSecrets(dataDir, options) : {};
  const stores = brings ? await bring(run) : {};
  const port = settings.PORT === 0 ? await freePort() : settings.PORT;
  const apiUrl = `http://${reachable(settings.HOST)}:${port}`;
  const defaults = {
    HOST: settings.HOST,
    BALANCER_NOTICE_SECONDS: '0',
    ...(options.demo ? { METRICS_PORT: '0' } : {}),
  };
  const env: Env = { ...defaults, ...kept, ...given, ...stores, PORT: String(port) };
  const demo = options.demo ? await openDemo(run, env, { apiUrl, port }) : null;
  const { madeAdmin, ...running } = await startBoth({ ...env, ...demo?.env }, run, stopping);
  onStop(running.stop);
  process.stdout.write(await textAfterStart(run, { running, madeAdmin, demo, apiUrl, port }));
  return running;
}

/** Takes the directory and looks at the ports before anything is started. */
async function prepare(options: RunOptions, onStop: Run['onStop']): Promise<Run> {
  const given = withoutEmpty(inheritedEnv());
  const settings = readSettings(SETTINGS, given);
  const dataDir = resolve(options.dataDir);
  const brings = settings.DATABASE_URL === undefined || settings.REDIS_URL === undefined;
  if (brings) onStop(await ownData(dataDir));
  await requireFreePort('PORT', settings.HOST, settings.PORT);
  if (given.METRICS_PORT !== undefined || !options.demo)
    await requireFreePort('METRICS_PORT', settings.METRICS_HOST, settings.METRICS_PORT);
  const log = await openLog(dataDir, options.demo || options.isTerminal, given);
  return { options, given, settings, dataDir, brings, onStop, ...log };
}

type Started = {
  running: RunningParts;
  madeAdmin(): boolean;
  demo: Demo | null;
  apiUrl: string;
  port: number;
};

async function textAfterStart(
  { options, settings, dataDir, brings }: Run,
  { running, madeAdmin, demo, apiUrl, port }: Started,
): Promise<string> {
  const { ADMIN_USERNAME: username } = settings;
  const consoleUrl = consoleUrlOf({ ...settings, PORT: port });
  const shown = { username, consoleUrl, keptIn: brings ? dataDir : null };
  const signIn = await firstSignIn(running.service, { ...shown, showsLink: madeAdmin() || options.isTerminal });
  if (demo === null) return welcome({ ...shown, signIn });
  const metricsUrl = `http://${reachable(settings.METRICS_HOST)}:${running.metricsPort}/metrics`;
  const hasConsole = (await fetch(`${apiUrl}/console/`)).ok;
  return demo.open({ signIn, metricsUrl, hasConsole, logFile: fileOf(dataDir) });
}

async function startBoth(env: Env, { log, report }: Run, stopping: AbortSignal) {
  const [api, worker] = [readConfig(env), readWorkerConfig(env)];
  const maxConnections = api.database.maxConnections + worker.database.maxConnections;
  const config = { ...api, database: { ...api.database, maxConnections } };
  await migrateFirst(config.database, report, stopping);
  const part = apiPart(api, log);
  const running = await startParts([part, workerPart(worker)], { config, log, stopping });
  return { ...running, madeAdmin: part.madeAdmin };
}

async function bring({ options: { demo }, dataDir, settings, report, onStop }: Run): Promise<Kept> {
  const { stop, ...stores } = await bringStores({
    dataDir,
    given: settings,
    kept: await readKept(dataDir),
    demo,
    report,
  });
  onStop(stop);
  return stores;
}

/** Loaded on demand, because an installation needs none of it. */
async function openDemo({ options, dataDir, log, onStop }: Run, env: Env, at: { apiUrl: string; port: number }) {
  const { startDemo } = await import('@flotilla/sandbox/start-demo.ts');
  return startDemo({ env, ...at, dataDir, isEmpty: options.empty, log, onStop });
}

async function openLog(dataDir: string, toFile: boolean, env: Env): Promise<Pick<Run, 'log' | 'report'>> {
  if (toFile) await mkdir(dataDir, { recursive: true });
  const destination = toFile ? { destination: logFile(fileOf(dataDir)) } : {};
  const log = createLogger({ name: 'flotilla', level: env.LOG_LEVEL ?? 'info', ...destination });
  const report = (line: string) => {
    if (toFile) process.stderr.write(`${line}\n`);
    log.warn(line);
  };
  return { log, report };
}

function fileOf(dataDir: string): string {
  return join(dataDir, 'flotilla.log');
}

const MEANT: readonly string[] = MAY_BE_EMPTY;

/** Compose files and platforms leave variables empty that nobody has set. */
function withoutEmpty(env: Env): Env {
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => value !== '' || MEANT.includes(name)));
}
