import { allowOnce } from '@flotilla/redis/allow-once.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';

export type TestRoomDeps = {
  redis: RedisHandles;
  /** The requests to backends that people wait for in this process. */
  testsInFlight: Set<{ botId: number }>;
};

const ONCE_PER_MS = 1_000;
const IN_FLIGHT_AT_MOST = 20;
const OF_BOT_AT_MOST = 2;

/**
 * Runs a request to a backend that a person asked for. Throws 'too_many_requests' for the second of a bot and its programs
 * within a second, or when 20 are in flight, or two of the bot.
 */
export async function withTestRoom<Result>(
  { redis, testsInFlight }: TestRoomDeps,
  botId: number,
  run: () => Promise<Result>,
): Promise<Result> {
  if (testsInFlight.size >= IN_FLIGHT_AT_MOST) throw tooMany('Too many test deliveries are in flight');
  const ofBot = [...testsInFlight].filter((test) => test.botId === botId);
  if (ofBot.length >= OF_BOT_AT_MOST) throw tooMany('Two test deliveries or replays of the bot are in flight');
  const test = { botId };
  testsInFlight.add(test);
  try {
    if (!(await allowOnce(redis, botKeys(botId).recentTestDelivery, ONCE_PER_MS)))
      throw tooMany('One test delivery a second is possible for a bot');
    return await run();
  } finally {
    testsInFlight.delete(test);
  }
}

function tooMany(reason: string): FlotillaError {
  return new FlotillaError('too_many_requests', reason, { retryAfterS: 1 });
}
