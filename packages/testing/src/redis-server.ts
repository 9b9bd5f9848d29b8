import { freePort } from '@flotilla/embedded/free-port.ts';
import { type EmbeddedRedis, startRedis } from '@flotilla/embedded/start-redis.ts';
import { Redis } from 'ioredis';
import { tlsDirectives, unchecked } from './redis-tls.ts';
import { removeDir, throwAwayDir } from './throw-away-dir.ts';
import type { TlsFiles } from './tls-authority.ts';

/** One server of a replicated Redis, with a connection for its configuration. */
export type RedisServer = {
  port: number;
  connection: Redis;
  alive(): boolean;
  /** A field of INFO. */
  info(field: string): Promise<string | undefined>;
  stop(): Promise<void>;
  /** kill -9. */
  kill(): void;
  /** Starts the server again on the same port with its data. */
  restart(): Promise<void>;
};

/** Starts a server; with `tls` it accepts TLS connections only. */
export async function startRedisServer(directives: Record<string, string>, tls?: TlsFiles): Promise<RedisServer> {
  const dataDir = await throwAwayDir();
  // A replica's first copy starts without delay, and a stop does not wait for replicas that lag.
  const quick = { 'repl-diskless-sync-delay': '0', 'shutdown-timeout': '0' };
  const start = (port?: number): Promise<EmbeddedRedis> => {
    const settings = { ...quick, ...(tls && port ? tlsDirectives(tls, port) : {}), ...directives };
    return startRedis({ directives: settings, dataDir, throwAway: true, ...(port === undefined ? {} : { port }) });
  };
  let redis = await start(tls ? await freePort() : undefined);
  let alive = true;
  const { port } = redis;
  const connection = new Redis({
    port,
    host: '127.0.0.1',
    protocol: 2,
    replyMapping: 'legacy',
    retryStrategy: () => 50,
    ...unchecked(tls),
    ...(directives.requirepass ? { password: directives.requirepass } : {}),
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
      await removeDir(dataDir);
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
