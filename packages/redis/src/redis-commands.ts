import type { Redis, RedisCommander } from 'ioredis';

/** Commands and scripts. All keys of one call are in one slot. */
export type RedisCommands = RedisCommander & Pick<Redis, 'status'>;

/** A command on one key. */
export type KeyCommand = [command: string, key: string, ...args: (string | number)[]];
