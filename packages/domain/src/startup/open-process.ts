import { connectDatabase, type Database } from '@flotilla/database/connect.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { measureCommands } from '@flotilla/redis/measure-commands.ts';
import { type Clock, systemClock } from '@flotilla/runtime/clock.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { Metrics } from '@flotilla/runtime/metrics.ts';
import type { PasswordSource } from '@flotilla/runtime/password-source.ts';
import type { Retry } from '@flotilla/runtime/retry-while-away.ts';
import { type SecretBox, secretBox } from '@flotilla/runtime/secret-box.ts';

export type ProcessConfig = {
  /** `readPassword` replaces the password of `url`, for each connection. */
  database: { url: string; readPassword?: PasswordSource | undefined; maxConnections: number };
  redisUrl: string;
  /** Replaces the password of `redisUrl`, for each connection. */
  readRedisPassword?: PasswordSource | undefined;
  encryptionKey: string;
};

/** Everything that every process needs: the stores, the secrets in them, the time and the log. */
export type OpenProcess = {
  db: Database;
  redis: RedisHandles;
  secrets: SecretBox;
  clock: Clock;
  log: Logger;
  /** For parts that are opened later. They are closed first. */
  onClose(close: () => unknown): void;
  /** Closes everything in reverse order. A part that cannot be closed is logged and skipped. Never rejects. */
  close(): Promise<void>;
};

/**
 * Opens what every process needs. Postgres shows `name`. Rejects when Redis cannot be reached and no `retry` is
 * given. Postgres is connected by the first query.
 */
export async function openProcess(
  name: string,
  config: ProcessConfig,
  { log, metrics, retry }: { log: Logger; metrics?: Metrics; retry?: Retry },
): Promise<OpenProcess> {
  const secrets = secretBox(config.encryptionKey);
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (const one of closers.splice(0).reverse()) {
      await Promise.resolve()
        .then(one)
        .catch((error: unknown) => log.warn({ reason: String(error) }, 'a part of the process could not be closed'));
    }
  };
  const measured = metrics === undefined ? {} : { metrics };
  const db = connectDatabase({ ...config.database, role: name, log, ...measured });
  closers.push(() => db.destroy());
  try {
    const { redisUrl: url, readRedisPassword: readPassword } = config;
    const redis = await connectRedis({ url, readPassword, log, ...(retry === undefined ? {} : { retry }) });
    closers.push(() => redis.close());
    if (metrics !== undefined) measureCommands(metrics, redis);
    return { db, redis, secrets, clock: systemClock, log, onClose: (one) => void closers.push(one), close };
  } catch (error) {
    await close();
    throw error;
  }
}
