import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import type { Bot } from '../bots/bot.ts';
import type { RetryRecord } from '../lanes/retry-schedule.ts';

export type Retrying = RetryRecord & { updateId: number; reader: 'push' | 'rules' };

type ListDeps = { redis: RedisHandles };
/** JSON of the failed attempts by the unit's id in its lane: an update id, or `r…` if redriven. */
type Records = [unitId: string, record: string][];

/** Updates whose delivery or routing failed and will be tried again, the next one first: at most one per lane. */
export async function listRetrying(deps: ListDeps, bot: Bot): Promise<Retrying[]> {
  const keys = botKeys(bot.id);
  const found = [
    ...(await withUpdateIds(deps, 'push', keys.redriven, await recordsIn(deps, keys.work))),
    ...(await withUpdateIds(deps, 'rules', keys.rulesRedriven, await recordsIn(deps, keys.rulesWork))),
  ];
  return found.sort((left, right) => left.nextTryAtMs - right.nextTryAtMs || left.updateId - right.updateId);
}

async function recordsIn({ redis }: ListDeps, work: string): Promise<Records> {
  return Object.entries(await redis.commands.hgetall(work)).flatMap(([field, record]) =>
    field.startsWith('r:') && record !== '' ? [[field.slice(2), record] as Records[number]] : [],
  );
}

async function withUpdateIds(
  { redis }: ListDeps,
  reader: Retrying['reader'],
  redrivenKey: string,
  records: Records,
): Promise<Retrying[]> {
  const again = records.map(([unitId]) => unitId).filter((unitId) => unitId.startsWith('r'));
  const redriven = again.length === 0 ? [] : await redis.commands.hmget(redrivenKey, ...again);
  const updateIds = new Map(
    again.map((unitId, at) => [unitId, redriven[at] ? (JSON.parse(redriven[at]) as { id: number }).id : 0]),
  );
  return records.map(([unitId, record]) => ({
    ...(JSON.parse(record) as RetryRecord),
    reader,
    updateId: updateIds.get(unitId) ?? Number(unitId),
  }));
}
