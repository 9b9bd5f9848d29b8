import type { Database } from '@flotilla/database/connect.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { deadLetterStore } from './dead-letter-store.ts';

type Deps = { db: Database; redis: RedisHandles };

/**
 * The JSON text of an update: from the bot's log while a reader needs it, else from its newest updates, else from a dead
 * letter; null if it is gone.
 */
export async function findKeptUpdate(
  deps: Deps,
  { id: botId, programs }: Bot,
  updateId: number,
): Promise<string | null> {
  const at = `${updateId}-0`;
  const [entry] = await deps.redis.commands.xrange(botKeys(botId).log, at, at);
  if (entry === undefined) {
    const recent = await findRecentUpdate(deps, botId, updateId);
    if (recent !== null) return recent;
    return deadLetterStore(deps.db).payloadOf(
      botId,
      programs.map(({ id }) => id),
      updateId,
    );
  }
  const fields = entry[1];
  return fields[fields.indexOf('u') + 1] ?? null;
}

/** The JSON text of one of the newest updates of a bot; null if it is not among them. */
export async function findRecentUpdate(
  { redis }: Pick<Deps, 'redis'>,
  botId: number,
  updateId: number,
): Promise<string | null> {
  const texts = await redis.commands.lrange(botKeys(botId).recent, 0, -1);
  const named = new RegExp(`"update_id"\\s*:\\s*${updateId}\\b`);
  return texts.find((text) => named.test(text) && JSON.parse(text).update_id === updateId) ?? null;
}
