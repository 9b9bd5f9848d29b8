import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { Bot } from './bot.ts';

/** Sets fields of a bot's state, unless the bot is gone. */
export async function patchBotState(
  deps: { redis: RedisHandles },
  bot: Bot,
  fields: Record<string, string | number>,
): Promise<void> {
  await scripts.patchBotState(deps.redis.commands, botKeys(bot.id), {
    registrationId: bot.registrationId,
    changes: Object.entries(fields).map(([field, value]) => ({ field, value })),
  });
}
