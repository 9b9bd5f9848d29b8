import { rm } from 'node:fs/promises';
import { type EmbeddedRedis, startRedis } from '@flotilla/embedded/start-redis.ts';
import { Redis } from 'ioredis';
import { throwAwayDir } from './throw-away-dir.ts';

/** One server of a replicated Redis, with a connection to tell it what to be. */
export type RedisServer = {
  port: number;
  connection: Redis;
  alive(): boolean;
  /** Of INFO: this field's value. */
  info(field: string): Promise<string | undefined>;
  stop(): Promise<void>;
  /** kill -9. */
  kill(): void;
  /** Starts again on the same port over its data. */
  restart(): Promise<void>;
};

export async function startRedisServer(directives: Record<string, string>): Promise<RedisServer> {
  const dataDir = await throwAwayDir();
  // A first copy to a replica waits for no other, and a stop for no replica that lags.
  const settings = { 'repl-diskless-sync-delay': '0', 'shutdown-timeout': '0', ...directives };
  const start = (port?: number): Promise<EmbeddedRedis> =>
    startRedis({ directives: settings, dataDir, throwAway: true, ...(port === undefined ? {} : { port }) });
  let redis = await start();
  let alive = true;
  const { port } = redis;
  const connection = new Redis({
    port,
    host: '127.0.0.1',
    protocol: 2,
    replyMapping: 'legacy',
    retryStrategy: () => 50,
  });
  connection.on('error', () => {});
  return {
    port,
    connection,
    alive: () => alive,
    info: async (field) => new RegExp(`^${field}:(.*?)\\r?$`, 'm').exec(await connection.info())?.[1],
    stop: async () => {
      connection.disconnect();
      await redis.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
    kill: () => {
      alive = false;
      redis.kill();
    },
    restart: async () => {
      redis = await start(port);
      alive = true;
    },
  };
}
