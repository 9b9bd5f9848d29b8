import type { RedisServer } from './redis-server.ts';

/** Several servers that clients use as one Redis. */
export type ReplicatedRedis = {
  url: string;
  /** The port of the first server that accepted writes. */
  port: number;
  /** The running servers that accept writes now. */
  masters(): Promise<RedisServer[]>;
  /** The running servers that hold data. */
  servers(): RedisServer[];
  /** kill -9 of every server that holds data. */
  kill(): void;
  /** Starts the data servers again with their data; resolves when writes are accepted. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};
