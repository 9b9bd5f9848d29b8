import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { endLeftover } from './end-leftover.ts';
import { findRedis } from './find-redis.ts';
import { freePort } from './free-port.ts';
import { startGuarded } from './guarded-process.ts';
import { makeDataDir } from './own-data.ts';
import { serviceError } from './service-error.ts';

export type RedisOptions = {
  /** Data goes into `<dataDir>/redis`. */
  dataDir: string;
  /** The default is a free port. */
  port?: number | undefined;
  /** The default is a random one. */
  password?: string | undefined;
  /** For tests: no password, and everything is removed when the launcher is killed. */
  throwAway?: boolean;
  /** False: if it is missing it is not installed. */
  install?: boolean;
  /** Further directives of redis.conf, such as maxmemory. */
  directives?: Record<string, string>;
  report?: (line: string) => void;
};

export type EmbeddedRedis = {
  url: string;
  port: number;
  pid: number;
  exited: Promise<void>;
  /** The last lines that it wrote. */
  tail(): string;
  /** The signal that ended it; null if none did. */
  endedBy(): string | null;
  stop(): Promise<void>;
  /** Like a crash: data that was not yet written is lost. */
  kill(): void;
};

const START_TRIES = 3;

/**
 * Starts a real Redis (or Valkey) on a loopback port, over new or existing data. Every write is on disk before it is
 * answered. Throws FlotillaError with one sentence for the person who started us.
 */
export async function startRedis(options: RedisOptions): Promise<EmbeddedRedis> {
  const program = await findRedis(options.report, { install: options.install });
  await makeDataDir(options.dataDir);
  const folder = join(options.dataDir, 'redis');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await endLeftover(join(folder, 'redis.pid'), /redis-server|valkey-server/, 'SIGTERM');
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce(program, folder, options);
    } catch (error) {
      const portTaken = /address already in use|bind: /i.test(String((error as Error).message));
      if (portTaken && options.port === undefined && attempt < START_TRIES) continue;
      throw serviceError(`Redis did not start. It said:\n${(error as Error).message}`, error);
    }
  }
}

async function startOnce(program: string, folder: string, options: RedisOptions): Promise<EmbeddedRedis> {
  const port = options.port ?? (await freePort());
  const password = options.throwAway ? null : (options.password ?? randomBytes(24).toString('base64url'));
  const directives = {
    bind: '127.0.0.1',
    port: String(port),
    dir: `"${folder}"`,
    pidfile: `"${join(folder, 'redis.pid')}"`,
    daemonize: 'no',
    appendonly: 'yes',
    appendfsync: 'always',
    save: '""',
    'maxmemory-policy': 'noeviction',
    // Logs are trimmed closely: by default each may keep 4 KB more.
    'stream-node-max-bytes': '1024',
    ...(password ? { requirepass: password } : {}),
    ...options.directives,
  };
  const file = join(folder, 'redis.conf');
  const text = Object.entries(directives).map(([name, value]) => `${name} ${value}\n`);
  await writeFile(file, text.join(''), { mode: 0o600 });
  const process = await startGuarded({
    command: program,
    args: [file],
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    user: null,
    stopSignal: 'SIGTERM',
    ...(options.throwAway ? { removeAfterwards: options.dataDir } : {}),
  });
  await process.waitForOutput('Ready to accept connections');
  const url = `redis://${password ? `:${password}@` : ''}127.0.0.1:${port}`;
  const { pid, exited, tail, endedBy, stop, kill } = process;
  return { url, port, pid, exited, tail, endedBy, stop, kill };
}
