import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { type ListedRefusal, REFUSALS_KEPT, type Refusal } from './refusal.ts';

/** The refusals of a program within a day, newest first. */
export async function listRefusals(
  deps: { redis: RedisHandles },
  program: { id: number; bot_id: number },
): Promise<ListedRefusal[]> {
  const key = botKeys(program.bot_id).programRefusals(program.id);
  const found = await deps.redis.commands.zrevrange(key, 0, REFUSALS_KEPT - 1, 'WITHSCORES');
  return found.flatMap((text, at) =>
    at % 2 === 0 ? [{ ...(JSON.parse(text) as Refusal), atMs: Number(found[at + 1]) }] : [],
  );
}
