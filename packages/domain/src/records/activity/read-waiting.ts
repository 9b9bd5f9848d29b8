import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, figureKeys, HOUR_MS } from '@flotilla/redis/keys.ts';
import { MINUTE_MS } from './read-minutes.ts';

type Redis = { redis: RedisHandles };
/** How many updates waited, by the start of the minute, or of the hour (ms). No entry: nobody looked. */
export type WaitingByTime = Map<number, number>;

/** How many updates waited for the readers of a bot, or of the fleet (null), in each minute of these hours. */
export async function readWaiting(deps: Redis, botId: number | null, hours: number[]): Promise<WaitingByTime> {
  const ofFleet = await readMinutes(deps, hours, (hour) => figureKeys.waiting(hour));
  if (botId === null) return ofFleet;
  const ofBot = await readMinutes(deps, hours, (hour) => botKeys(botId).waiting(hour));
  // A bot has no entry where nothing waited.
  return new Map([...ofFleet.keys()].map((atMs) => [atMs, ofBot.get(atMs) ?? 0]));
}

/** The most of each hour. */
export async function readWaitingByHour(deps: Redis, botId: number | null, hours: number[]): Promise<WaitingByTime> {
  const most: WaitingByTime = new Map();
  for (const [atMs, count] of await readWaiting(deps, botId, hours)) {
    const startMs = atMs - (atMs % HOUR_MS);
    most.set(startMs, Math.max(most.get(startMs) ?? 0, count));
  }
  return most;
}

/** The most that waited for each of these bots in an hour, in their order. */
export async function readWaitingOfBots({ redis }: Redis, botIds: number[], hour: number): Promise<number[]> {
  const found = await redis.runMany(botIds.map((id) => ['hvals', botKeys(id).waiting(hour)]));
  return (found as string[][]).map((counts) => Math.max(0, ...counts.map(Number)));
}

async function readMinutes({ redis }: Redis, hours: number[], keyOf: (hour: number) => string): Promise<WaitingByTime> {
  const found = await redis.runMany(hours.map((hour) => ['hgetall', keyOf(hour)]));
  return new Map(
    (found as Record<string, string>[]).flatMap((minutes, at) =>
      Object.entries(minutes).map(([minute, count]): [number, number] => [
        hours[at]! * HOUR_MS + Number(minute) * MINUTE_MS,
        Number(count),
      ]),
    ),
  );
}
