import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import type { Bot } from '../bots/bot.ts';
import type { Attempt } from '../push/claim-for-push.ts';

/** The last 100 attempts to deliver an update of this bot, newest first. */
export async function listAttempts(deps: { redis: RedisHandles }, bot: Bot): Promise<Attempt[]> {
  const kept = await deps.redis.commands.lrange(botKeys(bot.id).attempts, 0, -1);
  return kept.map((attempt) => JSON.parse(attempt) as Attempt);
}
