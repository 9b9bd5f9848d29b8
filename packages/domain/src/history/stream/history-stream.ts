import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { shardKeys } from '@flotilla/redis/keys.ts';
import { type HistoryEntry, readRecord } from './history-codec.ts';

export type StreamEntry = { id: string; entry: HistoryEntry };

/** The oldest entries of a shard's history stream, at most `count`. */
export async function readHistoryStream(redis: RedisHandles, shard: number, count: number): Promise<StreamEntry[]> {
  const found = await redis.commands.xrange(shardKeys(shard).history, '-', '+', 'COUNT', count);
  return found.map(([id, record]) => ({ id, entry: readRecord(shard, id, record) }));
}

/** Removes entries that are stored elsewhere, up to and including this id. */
export async function trimHistoryStream(redis: RedisHandles, shard: number, lastId: string): Promise<void> {
  const [ms, sequence] = lastId.split('-');
  await redis.commands.xtrim(shardKeys(shard).history, 'MINID', `${ms}-${BigInt(sequence!) + 1n}`);
}

/** Takes the shard's pending turn away; true when there are entries again. */
export async function clearPendingTurn(redis: RedisHandles, shard: number): Promise<boolean> {
  const keys = shardKeys(shard);
  await redis.commands.zrem(keys.pendingTurns, 'history');
  // An entry appended after the zrem added the pending turn again and woke a turn; xlen counts earlier ones.
  return (await redis.commands.xlen(keys.history)) > 0;
}
