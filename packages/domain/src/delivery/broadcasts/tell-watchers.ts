import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import type { Broadcast } from './broadcast.ts';

export type TellDeps = { redis: RedisHandles; directory: BotDirectory };

/** Tells whoever watches the bot how far a broadcast is. It is a hint: without Redis nobody is told. */
export async function tellWatchers({ redis, directory }: TellDeps, broadcast: Broadcast): Promise<void> {
  const { botId, id, state, counts } = broadcast;
  const bot = directory.byId(botId);
  if (bot === undefined) return;
  const event = JSON.stringify({ bot_id: botId, id, state, counts });
  const told = { registrationId: bot.registrationId, botId, kind: 'broadcast', event };
  await scripts.tellWatchers(redis.commands, botKeys(botId), told).catch(() => false);
}
