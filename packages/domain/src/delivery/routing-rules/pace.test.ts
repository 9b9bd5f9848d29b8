import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ReservedTime, reserveForBot, reserveForChat } from './pace.ts';

let server: TestRedis;
let redis: RedisHandles;

beforeAll(async () => {
  server = await startTestRedis();
  redis = await connectRedis({ url: server.url, log: { warn: () => {} } });
});
afterAll(async () => {
  await redis.close();
  await server.stop();
});

/** Times that were reserved one after the other, from the first one (ms). */
const times = async (count: number, reserve: () => Promise<ReservedTime>): Promise<number[]> => {
  const reserved: number[] = [];
  for (let at = 0; at < count; at += 1) reserved.push((await reserve()).atMs);
  return reserved.map((atMs) => atMs - (reserved[0] as number));
};
const inWindow = (moments: number[], windowMs: number) =>
  Math.max(...moments.map((from) => moments.filter((at) => at >= from && at < from + windowMs).length));
const chat =
  (bot: number, id: number, messages = 1, reservedMs?: number) =>
  () =>
    reserveForChat({ redis }, bot, id, { messages, reservedMs });

describe('a bot that sends', () => {
  test('gets a time for each message, one a second to a person', async () => {
    const moments = await times(30, chat(1, 5));
    expect(inWindow(moments, 1000)).toBe(1);
    expect(moments.at(-1)).toBeLessThan(35_000);
  });

  test('sends at most twenty a minute to a group, albums counted by their members', async () => {
    const singles = await times(70, chat(2, -100_5));
    expect(inWindow(singles, 60_000)).toBe(20);
    expect(singles.at(-1)).toBeLessThan(4 * 61_000);
    const albums = await times(6, chat(3, -100_5, 7));
    expect(inWindow(albums, 60_000)).toBe(2);
  });

  test('sends at most thirty a second in all', async () => {
    const moments = await times(95, () => reserveForBot({ redis }, 4, 1));
    expect(inWindow(moments, 1000)).toBe(30);
    expect(moments.at(-1)).toBeLessThan(4_000);
  });

  test('keeps the time it was given', async () => {
    await times(9, chat(5, 5));
    const { atMs } = await chat(5, 5)();
    expect((await chat(5, 5, 1, atMs)()).atMs).toBe(atMs);
    expect((await chat(5, 6)()).waitMs).toBe(0);
  });
});
