import { rateKeys } from '@flotilla/redis/call-keys.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { ActiveToken } from '../../fleet/bots/active-program.ts';

export function hasRate({ per_second, per_minute }: ActiveToken): boolean {
  return per_second !== null || per_minute !== null;
}

type CountedCalls = { ofSecond: number; ofMinute: number; minuteLeftS: number };

/** `calls` are those of the token with this one; null if it has no rate. */
export type CountedCall = { retryAfterS: number; calls: CountedCalls | null };

/** Counts a call of a token with a rate. `retryAfterS` is 0, or how long to wait if there were too many. Rejects without Redis. */
export async function countCall(
  { redis }: { redis: RedisHandles },
  { id, per_second, per_minute }: ActiveToken,
): Promise<CountedCall> {
  if (per_second === null && per_minute === null) return { retryAfterS: 0, calls: null };
  const rate = { perSecond: per_second, perMinute: per_minute };
  const { outcome, ...counted } = await scripts.countCall(redis.commands, rateKeys(id), rate);
  return { retryAfterS: 'retryAfterS' in counted ? counted.retryAfterS : 0, calls: counted };
}
