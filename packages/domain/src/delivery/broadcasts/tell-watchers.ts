import type { Broadcast } from '@flotilla/contract/broadcasts.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import { registrationOf } from '../../fleet/bots/registration.ts';
import { countsOf } from './broadcast.ts';

export type TellDeps = { redis: RedisHandles; directory: BotDirectory };

/** Tells whoever watches the bot how far a broadcast is. It is a hint: without Redis nobody is told. */
export async function tellWatchers({ redis, directory }: TellDeps, broadcast: Broadcast): Promise<void> {
  const { bot_id, id, state } = broadcast;
  const bot = directory.byId(bot_id);
  if (bot === undefined) return;
  const event = JSON.stringify({ bot_id, id, state, counts: countsOf(broadcast) });
  const told = { ...registrationOf(bot), kind: 'broadcast', event };
  await scripts.tellWatchers(redis.commands, botKeys(bot.id), told).catch(() => false);
}
