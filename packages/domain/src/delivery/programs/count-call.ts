import { rateKeys } from '@flotilla/redis/call-keys.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { ActiveToken } from '../../fleet/bots/active-program.ts';

export function hasRate({ per_second, per_minute }: ActiveToken): boolean {
  return per_second !== null || per_minute !== null;
}

/** Counts a call of a token with a rate. 0, or how many seconds to wait if there were too many. Rejects without Redis. */
export async function countCall(
  { redis }: { redis: RedisHandles },
  { id, per_second, per_minute }: ActiveToken,
): Promise<number> {
  if (per_second === null && per_minute === null) return 0;
  return scripts.countCall(redis.commands, rateKeys(id), { perSecond: per_second, perMinute: per_minute });
}
