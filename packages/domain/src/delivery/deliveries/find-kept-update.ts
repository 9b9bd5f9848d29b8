import type { Database } from '@flotilla/database/connect.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { deadLetterStore } from './dead-letter-store.ts';

/** The JSON text of an update: from the bot's log while a reader needs it, else from a dead letter; null if it is gone. */
export async function findKeptUpdate(
  deps: { db: Database; redis: RedisHandles },
  { id: botId, programs }: Bot,
  updateId: number,
): Promise<string | null> {
  const at = `${updateId}-0`;
  const [entry] = await deps.redis.commands.xrange(botKeys(botId).log, at, at);
  if (entry === undefined)
    return deadLetterStore(deps.db).payloadOf(
      botId,
      programs.map(({ id }) => id),
      updateId,
    );
  const fields = entry[1];
  return fields[fields.indexOf('u') + 1] ?? null;
}
