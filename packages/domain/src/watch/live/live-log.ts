import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { registrationOf } from '../../fleet/bots/registration.ts';
import type { LiveEntry } from './live-event.ts';

/** How long a bot counts as watched after somebody last said so. */
const WATCHED_MS = 15_000;
/** How long entries are kept, for clients that reconnect. */
const KEPT_MS = 30_000;
const STREAM_LIFE_MS = 60_000;

/** Says that the bot is watched. Returns the id of the newest entry of its live stream; null when Redis lacks the bot. */
export async function watchBot({ redis }: { redis: RedisHandles }, bot: Bot): Promise<string | null> {
  const times = { forMs: WATCHED_MS, keptMs: KEPT_MS, lifeMs: STREAM_LIFE_MS };
  const reply = await scripts.watchBot(redis.commands, botKeys(bot.id), { ...registrationOf(bot), ...times });
  return reply.outcome === 'OK' ? reply.newest : null;
}

/** The entries after this one, oldest first, and whether there may be more; null when the entry is not kept any more. */
export async function readLive(
  { redis }: { redis: RedisHandles },
  botId: number,
  after: string,
  count: number,
): Promise<{ entries: LiveEntry[]; more: boolean } | null> {
  const [known, ...entries] = await redis.commands.xrange(botKeys(botId).live, after, '+', 'COUNT', count + 1);
  if (known?.[0] !== after) return null;
  return { entries, more: entries.length === count };
}
