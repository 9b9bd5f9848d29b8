import { cp } from 'node:fs/promises';
import { type EmbeddedRedis, startRedis } from '@flotilla/embedded/start-redis.ts';
import { Redis } from 'ioredis';
import { removeDir, throwAwayDir } from './throw-away-dir.ts';

export type TestRedis = {
  url: string;
  port: number;
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
  /** kill -9. */
  kill(): void;
  /** Stops all responses for this time, as a slow disk does. */
  freeze(ms: number): Promise<void>;
  /** Copies the data as it is now. */
  save(): Promise<void>;
  /** Restarts on the same port, with the current data, the saved data, or none. Ends a running server first. */
  restart(options?: { empty?: boolean; saved?: boolean }): Promise<void>;
};

/** A Redis of this test file's own, with an append-only file as in production. */
export async function startTestRedis(options: { directives?: Record<string, string> } = {}): Promise<TestRedis> {
  const dataDir = await throwAwayDir();
  const savedDir = `${dataDir}-saved`;
  const start = (port?: number): Promise<EmbeddedRedis> =>
    startRedis({ ...options, dataDir, throwAway: true, ...(port === undefined ? {} : { port }) });
  let redis = await start();
  const { url, port } = redis;
  return {
    url,
    port,
    kill: () => redis.kill(),
    freeze: async (ms) => {
      const connection = new Redis(url);
      await connection.client('PAUSE', ms);
      connection.disconnect();
    },
    stop: async () => {
      await redis.stop();
      for (const dir of [dataDir, savedDir]) await removeDir(dir);
    },
    save: async () => {
      await removeDir(savedDir);
      await cp(dataDir, savedDir, { recursive: true });
    },
    restart: async ({ empty = false, saved = false } = {}) => {
      await redis.stop();
      if (empty || saved) await removeDir(dataDir);
      if (saved) await cp(savedDir, dataDir, { recursive: true });
      redis = await start(port);
    },
  };
}
