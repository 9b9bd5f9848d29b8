import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { shardKeys } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import { type HistoryEntry, readRecord } from './history-codec.ts';

export type StreamEntry = { id: string; entry: HistoryEntry };

export type HistoryReader = {
  /** Waits until so many entries may be read; then `read` must follow, and `release` of what it found. */
  reserve(count: number): Promise<void>;
  /** Reads the oldest entries of a shard's history stream, at most the `count` that were reserved. */
  read(shard: number, count: number): Promise<StreamEntry[]>;
  /** Says that so many of the entries that were read are no longer needed. */
  release(count: number): void;
};

/** The smallest page. A reply of this many records is parsed within half a millisecond. */
const PAGE = 50;
/** Records for each millisecond that the last page took: parsing them takes some twentieth of the time of a busy process. */
const RECORDS_FOR_A_MS = 6;
const LARGEST_PAGE = 150;
/** Replies that come together are parsed in one pass of the event loop. */
const READS_AT_ONCE = 2;
/**
 * Two batches that are being written, and one read ahead. More would only wait, and the garbage collector would copy them
 * meanwhile.
 */
const HELD_AT_MOST = 1_250;

/** Reads the streams of all shards in small pages, so that neither replies nor their garbage hold the event loop. */
export function historyReader(redis: RedisHandles): HistoryReader {
  const waiting: { count: number; begin: () => void }[] = [];
  let reading = 0;
  let held = 0;
  const admit = () => {
    while (reading < READS_AT_ONCE && held < HELD_AT_MOST) {
      const next = waiting.shift();
      if (next === undefined) return;
      reading += 1;
      held += next.count;
      next.begin();
    }
  };
  const readPage = async (shard: number, after: string, count: number): Promise<StreamEntry[]> => {
    const found = await redis.commands.xrange(shardKeys(shard).history, after, '+', 'COUNT', count);
    return found.map(([id, record]) => ({ id, entry: readRecord(shard, id, record) }));
  };
  const readPages = async (shard: number, count: number): Promise<StreamEntry[]> => {
    const entries: StreamEntry[] = [];
    let size = PAGE;
    while (entries.length < count) {
      const last = entries.at(-1);
      const wanted = Math.min(size, count - entries.length);
      const askedAtMs = performance.now();
      const page = await readPage(shard, last === undefined ? '-' : `(${last.id}`, wanted);
      size = Math.min(Math.max(PAGE, Math.floor((performance.now() - askedAtMs) * RECORDS_FOR_A_MS)), LARGEST_PAGE);
      entries.push(...page);
      if (page.length < wanted) break;
    }
    return entries;
  };
  return {
    reserve: (count) =>
      new Promise((resolve) => {
        waiting.push({ count, begin: resolve });
        admit();
      }),
    read: async (shard, count) => {
      let unused = count;
      try {
        const entries = await readPages(shard, count);
        unused -= entries.length;
        return entries;
      } finally {
        reading -= 1;
        held -= unused;
        admit();
      }
    },
    release: (count) => {
      held -= count;
      admit();
    },
  };
}

/** Removes entries that are stored elsewhere, up to and including this id. */
export async function trimHistoryStream(redis: RedisHandles, shard: number, lastId: string): Promise<void> {
  const [ms, sequence] = lastId.split('-');
  await redis.commands.xtrim(shardKeys(shard).history, 'MINID', `${ms}-${BigInt(sequence!) + 1n}`);
}

/** Says that the shard's pending turn is served now, so that upkeep does not take it for a lost one. */
export async function renewPendingTurn(redis: RedisHandles, shard: number): Promise<void> {
  await scripts.renewPendingTurn(redis.commands, shardKeys(shard), { turn: 'history' });
}

/** Takes the shard's pending turn away; true when there are entries again. */
export async function clearPendingTurn(redis: RedisHandles, shard: number): Promise<boolean> {
  const keys = shardKeys(shard);
  await redis.commands.zrem(keys.pendingTurns, 'history');
  // An entry appended after the zrem added the pending turn again and woke a turn; xlen counts earlier ones.
  return (await redis.commands.xlen(keys.history)) > 0;
}
