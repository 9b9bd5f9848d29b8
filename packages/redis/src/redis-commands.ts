import type { Redis, RedisCommander } from 'ioredis';

/** Commands and scripts whose keys, in each, share a slot. */
export type RedisCommands = RedisCommander & Pick<Redis, 'status'>;

/** A command on one key. */
export type KeyCommand = [command: string, key: string, ...args: (string | number)[]];
