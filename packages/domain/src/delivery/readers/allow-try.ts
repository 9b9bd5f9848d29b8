import { allowOnce } from '@flotilla/redis/allow-once.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';

const ONCE_PER_MS = 1_000;

/** Throws 'too_many_requests' if somebody had this reader of the bot try again in the last second. */
export async function allowTry(redis: RedisHandles, botId: number, reader: string): Promise<void> {
  if (await allowOnce(redis, botKeys(botId).recentTry(reader), ONCE_PER_MS)) return;
  throw new FlotillaError('too_many_requests', 'A reader takes one try a second', { retryAfterS: 1 });
}
