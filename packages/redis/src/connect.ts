import { Redis, type RedisOptions } from 'ioredis';
import { defineScripts } from './scripts.ts';

/** The connections of one process. Commands fail within about a second when Redis is away, and are never queued. */
export type RedisHandles = {
  /** Commands and scripts; shared by everything in the process. */
  commands: Redis;
  /** A connection for SUBSCRIBE, which reconnects by itself for ever. */
  newSubscriber(): Redis;
  /** A connection for BullMQ's blocking reads, which waits instead of failing. */
  newBlocking(): Redis;
  /** Closes every connection handed out. */
  close(): Promise<void>;
};

type Log = { warn(fields: object, message: string): void };

const CALL_DEADLINE_MS = 1000;
const RECONNECT_AT_MOST_MS = 1000;

const reconnecting: RedisOptions = {
  retryStrategy: (tries) => Math.min(50 * 2 ** Math.min(tries, 5), RECONNECT_AT_MOST_MS),
  connectTimeout: 5000,
  keepAlive: 10_000,
};
const failingFast: RedisOptions = {
  ...reconnecting,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  commandTimeout: CALL_DEADLINE_MS,
};

/** Connects to Redis; the promise settles when the first connection is ready, or fails after 5 s. */
export async function connectRedis(options: { url: string; log: Log }): Promise<RedisHandles> {
  const open: Redis[] = [];
  const connect = (settings: RedisOptions): Redis => {
    const redis = new Redis(options.url, { ...settings, protocol: 2, replyMapping: 'legacy' });
    redis.on('error', (error) => options.log.warn({ reason: error.message }, 'redis connection'));
    open.push(redis);
    return redis;
  };
  const commands = connect(failingFast);
  defineScripts(commands);
  await untilReady(commands).catch((error) => {
    commands.disconnect();
    throw error;
  });
  return {
    commands,
    newSubscriber: () => connect({ ...reconnecting, maxRetriesPerRequest: null, autoResubscribe: true }),
    newBlocking: () => connect({ ...reconnecting, maxRetriesPerRequest: null }),
    close: async () => {
      for (const redis of open) redis.disconnect();
    },
  };
}

function untilReady(redis: Redis): Promise<void> {
  if (redis.status === 'ready') return Promise.resolve();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('Redis did not answer within 5 s')), 5000);
    redis.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
