import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, figureKeys, HOUR_MS } from '@flotilla/redis/keys.ts';
import { MINUTE_MS } from './read-minutes.ts';

type Redis = { redis: RedisHandles };

/** The same time as the hashes of scripts/lib/activity.lua. */
const KEPT_S = 50 * 3600;

/** Notes how many updates wait at one moment: first of bots, some at a time, and then of the fleet, which ends the sample. */
export type WaitingSample = {
  /** Bots for which nothing waits are left out. */
  noteBots(waiting: readonly { botId: number; count: number }[]): Promise<void>;
  noteFleet(count: number): Promise<void>;
};

/** The sample of the minute of `atMs`; null if that minute has one. */
export async function waitingSample({ redis }: Redis, atMs: number): Promise<WaitingSample | null> {
  const hour = Math.floor(atMs / HOUR_MS);
  const minute = Math.floor((atMs % HOUR_MS) / MINUTE_MS);
  const ofFleet = figureKeys.waiting(hour);
  if ((await redis.commands.hexists(ofFleet, String(minute))) === 1) return null;
  const note = async (counts: { key: string; count: number }[]) => {
    await redis.runMany(
      counts.flatMap(({ key, count }) => [
        ['hset', key, minute, count],
        ['expire', key, KEPT_S],
      ]),
    );
  };
  return {
    noteBots: (waiting) => note(waiting.map(({ botId, count }) => ({ key: botKeys(botId).waiting(hour), count }))),
    noteFleet: (count) => note([{ key: ofFleet, count }]),
  };
}
