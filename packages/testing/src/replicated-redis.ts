import type { RedisServer } from './redis-server.ts';

/** Several servers that are one Redis to whoever uses them. */
export type ReplicatedRedis = {
  url: string;
  /** The living servers that take writes now. */
  masters(): Promise<RedisServer[]>;
  stop(): Promise<void>;
};
