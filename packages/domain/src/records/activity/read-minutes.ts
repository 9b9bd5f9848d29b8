import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, HOUR_MS, SHARDS, shardKeys } from '@flotilla/redis/keys.ts';
import { type ActivityCounts, addActivity, countOfField, noActivity } from './activity-counts.ts';

type Redis = { redis: RedisHandles };
/** By the start of the minute, or of the hour (ms); without activity there may be no entry. */
export type CountsByTime = Map<number, ActivityCounts>;

export const MINUTE_MS = 60_000;
/** For how long minutes can be read; Redis forgets them an hour later. */
export const MINUTES_KEPT_MS = 49 * HOUR_MS;

/** How many hashes are read in one round trip. */
const READ_AT_ONCE = 32;

/** The activity of a bot, or of the fleet (null), in each minute of these hours (counted since 1970). */
export async function readMinutes(deps: Redis, botId: number | null, hours: number[]): Promise<CountsByTime> {
  const minutes: CountsByTime = new Map();
  const hashes = hours.flatMap((hour) => hashesOf(botId, hour).map((key) => ({ key, hour })));
  const keys = hashes.map(({ key }) => key);
  await readHashes(deps, keys, (counts, at) => {
    const startMs = hashes[at]!.hour * HOUR_MS;
    for (const [field, count] of Object.entries(counts)) {
      const { minute, name } = countOfField(Number(field));
      sumAt(minutes, startMs + minute * MINUTE_MS)[name] += Number(count);
    }
  });
  return minutes;
}

/** The same by hour. */
export async function readHours(deps: Redis, botId: number | null, hours: number[]): Promise<CountsByTime> {
  const sums: CountsByTime = new Map();
  for (const [startMs, counts] of await readMinutes(deps, botId, hours)) {
    addActivity(sumAt(sums, startMs - (startMs % HOUR_MS)), counts);
  }
  return sums;
}

/** The activity of each of these bots in an hour, in their order. */
export async function readHourOfBots(deps: Redis, botIds: number[], hour: number): Promise<ActivityCounts[]> {
  const sums = botIds.map(noActivity);
  const keys = botIds.map((id) => botKeys(id).activity(hour));
  await readHashes(deps, keys, (counts, at) => {
    for (const [field, count] of Object.entries(counts)) sums[at]![countOfField(Number(field)).name] += Number(count);
  });
  return sums;
}

/** The hashes of an hour, which add up: the bot's own one, or those of all shards. */
function hashesOf(botId: number | null, hour: number): string[] {
  if (botId !== null) return [botKeys(botId).activity(hour)];
  return Array.from({ length: SHARDS }, (_, shard) => shardKeys(shard).activity(hour));
}

/** Reads hashes in portions, so that other work is done in between; `add` gets each, and its place among the keys. */
async function readHashes(
  { redis }: Redis,
  keys: string[],
  add: (counts: Record<string, string>, at: number) => void,
): Promise<void> {
  for (let from = 0; from < keys.length; from += READ_AT_ONCE) {
    const found = await redis.runMany(keys.slice(from, from + READ_AT_ONCE).map((key) => ['hgetall', key]));
    for (const [at, counts] of found.entries()) add(counts as Record<string, string>, from + at);
  }
}

function sumAt(sums: CountsByTime, startMs: number): ActivityCounts {
  const known = sums.get(startMs);
  if (known !== undefined) return known;
  const sum = noActivity();
  sums.set(startMs, sum);
  return sum;
}
