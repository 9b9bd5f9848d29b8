import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { shardKeys } from '@flotilla/redis/keys.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { collectGarbage } from '@flotilla/testing/collect-garbage.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { historyTurn } from './history-turn.ts';
import type { HistoryEntry } from './stream/history-codec.ts';
import { historyReader } from './stream/history-stream.ts';

const SHARD = 7;
const LEASE = {
  signal: new AbortController().signal,
  ownsTurn: () => true,
  mayHold: () => false,
  hold: (wait: Promise<void>) => wait,
};
const NOTHING = { inc: () => {}, observe: () => {} };
const MEASURE = {
  ...{ historyRows: NOTHING, historyLag: NOTHING },
  ...{ historyBatches: NOTHING, deadLetters: NOTHING },
};

let server: TestRedis;
let redis: RedisHandles;

beforeAll(async () => {
  server = await startTestRedis();
  redis = await connectRedis({ url: server.url, log: { warn: () => {} } });
});

beforeEach(() => redis.removeKeys(''));

afterAll(async () => {
  await redis.close();
  await server.stop();
});

async function append(count: number): Promise<void> {
  const { history } = shardKeys(SHARD);
  for (let at = 0; at < count; at += 1) {
    await redis.commands.xadd(
      history,
      '*',
      't',
      'update',
      'b',
      '1',
      'g',
      'r',
      'a',
      '1',
      'i',
      String(at + 1),
      'u',
      '{}',
    );
  }
}

function deps(storeHistory: (entries: HistoryEntry[]) => Promise<void>, reader = historyReader(redis)) {
  const log = createLogger({ name: 'test', level: 'silent' });
  return { redis, storeHistory, historyReader: reader, tracing: null, measure: MEASURE, clock: systemClock, log };
}

test('a turn that waits keeps nothing of what it stored in memory', async () => {
  await append(3);
  const stored: WeakRef<HistoryEntry>[] = [];
  const store = async (entries: HistoryEntry[]) => {
    for (const entry of entries) stored.push(new WeakRef(entry));
  };
  const reader = historyReader(redis);
  let reserved = 0;
  let goOn: (() => void) | undefined;
  const reserve = async (count: number) => {
    reserved += 1;
    if (reserved > 1) await new Promise<void>((resolve) => (goOn = resolve));
    return reader.reserve(count);
  };
  const turn = historyTurn(deps(store, { ...reader, reserve }), SHARD, LEASE);
  await waitFor(() => goOn !== undefined);
  collectGarbage();
  expect(stored).toHaveLength(3);
  expect(stored.filter((entry) => entry.deref() !== undefined)).toEqual([]);
  goOn?.();
  expect(await turn).toEqual({ next: 'idle' });
});

test('what Postgres does not take stays, and is stored by the next turn', async () => {
  await append(2);
  const away = async () => {
    throw new Error('Postgres is away');
  };
  let released = 0;
  const shared = historyReader(redis);
  const release = (count: number) => {
    released += count;
    shared.release(count);
  };
  const reader = { ...shared, release };
  expect(await historyTurn(deps(away, reader), SHARD, LEASE)).toMatchObject({ next: 'at' });
  expect(released).toBe(2);
  expect(await redis.commands.xlen(shardKeys(SHARD).history)).toBe(2);
  const stored: HistoryEntry[] = [];
  const store = async (entries: HistoryEntry[]) => void stored.push(...entries);
  expect(await historyTurn(deps(store, reader), SHARD, LEASE)).toEqual({ next: 'idle' });
  expect(stored.map((entry) => entry.type === 'update' && entry.updateId)).toEqual([1, 2]);
  expect(await redis.commands.xlen(shardKeys(SHARD).history)).toBe(0);
});
