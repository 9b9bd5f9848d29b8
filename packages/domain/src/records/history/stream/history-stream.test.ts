import { setTimeout as delay } from 'node:timers/promises';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { shardKeys } from '@flotilla/redis/keys.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import {
  type HistoryReader,
  historyReader,
  renewPendingTurn,
  type StreamEntry,
  trimHistoryStream,
} from './history-stream.ts';

const SHARD = 7;
const OTHER = 8;

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

async function append(shard: number, count: number): Promise<void> {
  const { history } = shardKeys(shard);
  await redis.runMany(
    Array.from({ length: count }, (_, at) => [
      ...['xadd', history, '*', 't', 'update', 'b', '1', 'g', 'r', 'a', '1', 'i', String(at + 1), 'u', '{}'],
    ]) as [string, string, ...string[]][],
  );
}

async function read(reader: HistoryReader, shard: number, count: number): Promise<StreamEntry[]> {
  await reader.reserve(count);
  return reader.read(shard, count);
}

test('reads as many records as wanted, in order, over several pages', async () => {
  await append(SHARD, 230);
  const reader = historyReader(redis);
  const found = await read(reader, SHARD, 120);
  expect(found.map(({ entry }) => entry.type === 'update' && entry.updateId)).toEqual(
    Array.from({ length: 120 }, (_, at) => at + 1),
  );
  reader.release(found.length);
  expect(await read(reader, SHARD, 500)).toHaveLength(230);
});

test('pages are larger while replies take long', async () => {
  await append(SHARD, 500);
  let pages = 0;
  const xrange = async (...args: Parameters<typeof redis.commands.xrange>) => {
    pages += 1;
    await delay(30);
    return redis.commands.xrange(...args);
  };
  const commands = new Proxy(redis.commands, {
    get: (real, name) => (name === 'xrange' ? xrange : Reflect.get(real, name)),
  });
  expect(await read(historyReader({ ...redis, commands }), SHARD, 500)).toHaveLength(500);
  expect(pages).toBeLessThanOrEqual(5);
});

test('waits while more records are held than are soon written', async () => {
  await append(SHARD, 1_250);
  await append(OTHER, 1);
  const reader = historyReader(redis);
  const held = await read(reader, SHARD, 1_250);
  let isRead = false;
  const waiting = read(reader, OTHER, 500).then((found) => {
    isRead = true;
    return found;
  });
  await redis.commands.ping();
  await redis.commands.ping();
  expect(isRead).toBe(false);
  reader.release(held.length);
  expect(await waiting).toHaveLength(1);
});

test('what was reserved and not found is free for others', async () => {
  await append(SHARD, 1);
  const reader = historyReader(redis);
  for (let at = 0; at < 5; at += 1) expect(await read(reader, SHARD, 500)).toHaveLength(1);
});

test('what is reserved counts as held', async () => {
  await append(SHARD, 1);
  const reader = historyReader(redis);
  await reader.reserve(1_250);
  let isReserved = false;
  const waiting = reader.reserve(500).then(() => {
    isReserved = true;
  });
  await redis.commands.ping();
  expect(isReserved).toBe(false);
  await reader.read(SHARD, 1_250);
  await waiting;
});

test('a read that fails does not keep the next ones waiting', async () => {
  await redis.commands.set(shardKeys(SHARD).history, 'no stream');
  await append(OTHER, 1);
  const reader = historyReader(redis);
  for (let at = 0; at < 5; at += 1) await expect(read(reader, SHARD, 500)).rejects.toThrow('WRONGTYPE');
  expect(await read(reader, OTHER, 1)).toHaveLength(1);
});

test('trimming removes what is stored, and nothing behind it', async () => {
  await append(SHARD, 3);
  const [, second, third] = await read(historyReader(redis), SHARD, 3);
  await trimHistoryStream(redis, SHARD, second!.id);
  expect(await read(historyReader(redis), SHARD, 3)).toEqual([third]);
});

test('a pending turn is renewed only while it is there', async () => {
  const { pendingTurns } = shardKeys(SHARD);
  await renewPendingTurn(redis, SHARD);
  expect(await redis.commands.zscore(pendingTurns, 'history')).toBeNull();
  await redis.commands.zadd(pendingTurns, 1_000, 'history');
  await renewPendingTurn(redis, SHARD);
  expect(Number(await redis.commands.zscore(pendingTurns, 'history'))).toBeGreaterThan(1_000);
});
