import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { runScript } from '@flotilla/redis/scripts.ts';
import type { Bot } from './bot.ts';

/** Sets fields of a bot's state, unless the bot is gone. */
export async function patchBotState(
  deps: { redis: RedisHandles },
  bot: Bot,
  fields: Record<string, string | number>,
): Promise<void> {
  await runScript(
    deps.redis.commands,
    'patch-bot-state',
    [botKeys(bot.id).state],
    [bot.registrationId, ...Object.entries(fields).flat()],
  );
}
