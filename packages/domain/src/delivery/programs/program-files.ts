import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { programKeys } from '@flotilla/redis/keys.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';

type Deps = { redis: RedisHandles; clock: Clock };
type Owner = { botId: number; programId: number };

/** The platform serves a path for an hour after it gave it. */
const KEPT_MS = 3_600_000;
/** A client that asks for more within an hour has to ask again for the oldest. */
const KEPT_AT_MOST = 10_000;

/** Notes that the program was given this path of a file. Rejects when Redis fails. */
export async function handFile({ redis, clock }: Deps, { botId, programId }: Owner, path: string): Promise<void> {
  const key = programKeys(botId, programId).files;
  const nowMs = clock.nowMs();
  await redis.runMany([
    ['zadd', key, nowMs, path],
    ['zremrangebyscore', key, '-inf', nowMs - KEPT_MS],
    ['zremrangebyrank', key, 0, -KEPT_AT_MOST - 1],
    ['pexpire', key, KEPT_MS],
  ]);
}

/** True if the program was given this path within the last hour. Rejects when Redis fails. */
export async function wasHandedFile(
  { redis, clock }: Deps,
  { botId, programId }: Owner,
  path: string,
): Promise<boolean> {
  const handedAtMs = await redis.commands.zscore(programKeys(botId, programId).files, path);
  return handedAtMs !== null && clock.nowMs() - Number(handedAtMs) < KEPT_MS;
}
