import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findRedis } from './find-redis.ts';
import { freePort } from './free-port.ts';
import { startGuarded } from './guarded-process.ts';
import { makeDataDir } from './own-data.ts';

export type SentinelOptions = {
  /** Removed when the launcher is killed. */
  dataDir: string;
  /** Lines of its configuration except the listening address, such as the primary it watches. */
  lines: string[];
  /** Listens with TLS only. The lines name its certificate. */
  tls?: boolean;
};

export type RunningSentinel = { port: number; stop(): Promise<void>; kill(): void };

/** Starts a Redis Sentinel on a free loopback port, for tests. */
export async function startSentinel({ dataDir, lines, tls = false }: SentinelOptions): Promise<RunningSentinel> {
  const program = await findRedis();
  await makeDataDir(dataDir);
  const folder = join(dataDir, 'sentinel');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const port = await freePort();
  const file = join(folder, 'sentinel.conf');
  const text = [
    'bind 127.0.0.1',
    ...(tls ? ['port 0', `tls-port ${port}`] : [`port ${port}`]),
    `dir "${folder}"`,
    'daemonize no',
    ...lines,
  ];
  await writeFile(file, `${text.join('\n')}\n`, { mode: 0o600 });
  const process = await startGuarded({
    command: program,
    args: [file, '--sentinel'],
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    user: null,
    stopSignal: 'SIGTERM',
    removeAfterwards: dataDir,
  });
  await process.waitForOutput('Sentinel ID is');
  return { port, stop: process.stop, kill: process.kill };
}
