import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { type Fields, readInteger, readObject } from '@flotilla/telegram/platform-fields.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import { isOwnPost } from '../../records/history/own-posts.ts';

type OwnDeps = { redis: RedisHandles; directory: BotDirectory };

/** Not `via_bot`: a person sends what an inline bot of ours offered. */
const WRITERS = ['from', 'sender_business_bot'];

/** True if one of our own bots wrote a message. No rule applies to it, because two rules could echo for ever. */
export async function isOwnMessage(deps: OwnDeps, message: Fields): Promise<boolean> {
  const writers = WRITERS.map((field) => readObject(message, field)).filter((writer) => writer !== null);
  if (writers.some((writer) => deps.directory.isOwnBot(readInteger(writer, 'id') ?? 0))) return true;
  return hidesItsWriter(message) && isOwnPost(deps, message);
}

/** True if other bots cannot see who wrote a message, as with posts of a channel. */
export function hidesItsWriter(message: Fields): boolean {
  return readObject(message, 'from') === null || readObject(message, 'sender_chat') !== null;
}
