import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import type { Bot } from '../bots/bot.ts';
import type { RetryRecord } from '../push/delivery-schedule.ts';

export type Retrying = RetryRecord & { updateId: number };

/** Updates whose delivery has failed and is tried again, the next try first: at most one per lane. */
export async function listRetrying(deps: { redis: RedisHandles }, bot: Bot): Promise<Retrying[]> {
  const keys = botKeys(bot.id);
  const records = Object.entries(await deps.redis.commands.hgetall(keys.retries));
  const again = records.map(([place]) => place).filter((place) => place.startsWith('r'));
  const redriven = again.length === 0 ? [] : await deps.redis.commands.hmget(keys.redriven, ...again);
  const updateIds = new Map(
    again.map((place, at) => [place, redriven[at] ? (JSON.parse(redriven[at]) as { id: number }).id : 0]),
  );
  return records
    .map(([place, record]) => ({
      ...(JSON.parse(record) as RetryRecord),
      updateId: updateIds.get(place) ?? Number(place),
    }))
    .sort((left, right) => left.nextTryAtMs - right.nextTryAtMs || left.updateId - right.updateId);
}
