import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ownData, ownerOf } from '@flotilla/embedded/own-data.ts';
import { inheritedEnv, useSettings } from '@flotilla/runtime/env.ts';
import { runMain } from '@flotilla/runtime/lifecycle.ts';
import { runCommand } from '@flotilla/runtime/run-command.ts';
import { bringStores } from './bring-stores.ts';
import { keepSecrets, readKept } from './kept-settings.ts';
import { requireFreePort } from './require-free-port.ts';

/** Runs an api or a worker beside the process that runs over the directory, or over the stores that are named. */
export function serveOver(role: 'api' | 'worker', dataDir: string): void {
  runMain(role, async (stopping) => {
    useSettings(await readKept(resolve(dataDir)));
    if (role === 'worker') {
      const [{ readWorkerConfig }, { startWorker }] = await Promise.all([
        import('@flotilla/worker/config.ts'),
        import('@flotilla/worker/start.ts'),
      ]);
      const config = readWorkerConfig();
      await requireFreePort('METRICS_PORT', config.metricsHost, config.metricsPort);
      return startWorker(config, stopping);
    }
    const [{ readConfig }, { startApi }] = await Promise.all([
      import('@flotilla/api/config.ts'),
      import('@flotilla/api/start.ts'),
    ]);
    const config = readConfig();
    await requireFreePort('PORT', config.http.host, config.http.port);
    await requireFreePort('METRICS_PORT', config.metricsHost, config.metricsPort);
    return startApi(config, undefined, stopping);
  });
}

/**
 * Runs a command over the stores that are named, or those of the directory. Without a process that runs over it, the command brings
 * the stores for itself. `makes`: also a directory that is new.
 */
export function runOver(
  dataDir: string,
  work: (stopping: AbortSignal) => Promise<number>,
  { makes = false }: { makes?: boolean } = {},
): void {
  runCommand('flotilla', async (stopping) => {
    const directory = resolve(dataDir);
    const { DATABASE_URL, REDIS_URL } = inheritedEnv();
    if (DATABASE_URL && REDIS_URL) return work(stopping);
    if (!makes && !existsSync(directory)) return work(stopping);
    if ((await ownerOf(directory)) !== null) {
      useSettings(await readKept(directory));
      return work(stopping);
    }
    return overOwnStores(directory, { DATABASE_URL, REDIS_URL }, () => work(stopping));
  });
}

async function overOwnStores(
  dataDir: string,
  given: { DATABASE_URL?: string | undefined; REDIS_URL?: string | undefined },
  work: () => Promise<number>,
): Promise<number> {
  const giveBack = await ownData(dataDir);
  try {
    const report = (line: string) => void process.stderr.write(`${line}\n`);
    const secrets = await keepSecrets(dataDir, { demo: false });
    const kept = await readKept(dataDir);
    const { stop, ...stores } = await bringStores({ dataDir, given, kept, demo: false, report });
    try {
      useSettings({ ...secrets, ...stores });
      return await work();
    } finally {
      await stop();
    }
  } finally {
    await giveBack();
  }
}
