import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { authKeys } from '@flotilla/redis/keys.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';

/** The sessions of an account, by their last use. The index may also name sessions that have ended. */

type IndexDeps = { redis: RedisHandles; clock: Clock };

export const ENDS_UNUSED_AFTER_MS = 7 * 24 * 3_600_000;
/** One more ends the session that was unused the longest. */
const SESSIONS_OF_ACCOUNT = 100;

/** Notes that a session was used now. */
export async function noteSessionUse({ redis, clock }: IndexDeps, accountId: number, id: string): Promise<void> {
  const key = authKeys.sessionsOf(accountId);
  await Promise.all([
    redis.commands.zadd(key, clock.nowMs(), id),
    // By then all of them have ended.
    redis.commands.pexpire(key, ENDS_UNUSED_AFTER_MS),
  ]);
}

/** Ends the sessions that an account has beyond a hundred. */
export async function endSurplusSessions({ redis, clock }: IndexDeps, accountId: number): Promise<void> {
  const key = authKeys.sessionsOf(accountId);
  await redis.commands.zremrangebyscore(key, '-inf', clock.nowMs() - ENDS_UNUSED_AFTER_MS);
  const surplus = await redis.commands.zrange(key, '0', String(-1 - SESSIONS_OF_ACCOUNT));
  if (surplus.length === 0) return;
  await redis.runMany(surplus.map((id) => ['del', authKeys.session(id)]));
  await redis.commands.zrem(key, ...surplus);
}

/** The ids in the index with their last use (ms), newest first. */
export async function readSessionIndex(
  { redis }: Pick<IndexDeps, 'redis'>,
  accountId: number,
): Promise<{ id: string; usedAtMs: number }[]> {
  const found = await redis.commands.zrevrange(authKeys.sessionsOf(accountId), 0, -1, 'WITHSCORES');
  return Array.from({ length: found.length / 2 }, (_, at) => ({
    id: found[2 * at]!,
    usedAtMs: Number(found[2 * at + 1]),
  }));
}

export async function dropFromIndex(
  { redis }: Pick<IndexDeps, 'redis'>,
  accountId: number,
  ids: string[],
): Promise<void> {
  if (ids.length > 0) await redis.commands.zrem(authKeys.sessionsOf(accountId), ...ids);
}
