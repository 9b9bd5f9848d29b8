import type { RedisServer } from './redis-server.ts';

/** Several servers that are one Redis to whoever uses them. */
export type ReplicatedRedis = {
  url: string;
  /** Of the server that was the first to take writes. */
  port: number;
  /** The living servers that take writes now. */
  masters(): Promise<RedisServer[]>;
  /** All living servers that hold data. */
  servers(): RedisServer[];
  /** kill -9 of every server that holds data. */
  kill(): void;
  /** Starts those again over their data; resolves when they take writes. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};
