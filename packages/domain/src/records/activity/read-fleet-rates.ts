import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, HOUR_MS, SHARDS, shardKeys } from '@flotilla/redis/keys.ts';
import type { KeyCommand } from '@flotilla/redis/redis-commands.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { type ActivityCounts, COUNTS, fieldsOfMinute, noActivity } from './activity-counts.ts';
import { MINUTE_MS } from './read-minutes.ts';

const MINUTES = 5;

type RateDeps = { redis: RedisHandles; clock: Clock };

/**
 * The activity of the fleet per second, on average over its last complete minutes. 64 small reads, up to 128 at the turn of an
 * hour; rejects when Redis cannot be read.
 */
export async function readFleetRates(deps: RateDeps, minutes = MINUTES): Promise<ActivityCounts> {
  return readRates(deps, minutes, (hour) =>
    Array.from({ length: SHARDS }, (_, shard) => shardKeys(shard).activity(hour)),
  );
}

/** The same for these bots together: one or two small reads for each. */
export async function readBotRates(
  deps: RateDeps,
  botIds: readonly number[],
  minutes = MINUTES,
): Promise<ActivityCounts> {
  return readRates(deps, minutes, (hour) => botIds.map((id) => botKeys(id).activity(hour)));
}

async function readRates(
  { redis, clock }: RateDeps,
  minutes: number,
  keysOf: (hour: number) => string[],
): Promise<ActivityCounts> {
  const thisMinute = Math.floor(clock.nowMs() / MINUTE_MS);
  const ofHour = new Map<number, number[]>();
  for (let minute = thisMinute - minutes; minute < thisMinute; minute += 1) {
    const hour = Math.floor((minute * MINUTE_MS) / HOUR_MS);
    ofHour.set(hour, [...(ofHour.get(hour) ?? []), ...fieldsOfMinute(minute % (HOUR_MS / MINUTE_MS))]);
  }
  const reads = [...ofHour].flatMap(([hour, fields]) =>
    keysOf(hour).map((key): KeyCommand => ['hmget', key, ...fields]),
  );
  const sum = noActivity();
  for (const found of (await redis.runMany(reads)) as (string | null)[][]) {
    for (const [at, count] of found.entries()) sum[COUNTS[at % COUNTS.length]!] += Number(count ?? 0);
  }
  const seconds = (minutes * MINUTE_MS) / 1000;
  for (const name of COUNTS) sum[name] /= seconds;
  return sum;
}
