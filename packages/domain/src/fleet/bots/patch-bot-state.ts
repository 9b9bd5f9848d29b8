import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { Bot } from './bot.ts';
import { registrationOf } from './registration.ts';

/** The time of Redis, by which other processes compare such a field. */
export const NOW = Symbol('now');

/** Sets fields of a bot's state, unless the bot is gone. */
export async function patchBotState(
  deps: { redis: RedisHandles },
  bot: Bot,
  fields: Record<string, string | number | typeof NOW>,
): Promise<void> {
  const given = Object.entries(fields);
  await scripts.patchBotState(deps.redis.commands, botKeys(bot.id), {
    ...registrationOf(bot),
    changes: given.flatMap(([field, value]) => (value === NOW ? [] : [{ field, value }])),
    times: given.flatMap(([field, value]) => (value === NOW ? [field] : [])),
  });
}
