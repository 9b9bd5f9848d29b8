import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { keepQuiet, reserveForBot, reserveForChat } from './pace.ts';

let server: TestRedis;
let redis: RedisHandles;
let nowMs = Date.now();
const clock = { nowMs: () => nowMs };

beforeAll(async () => {
  server = await startTestRedis();
  redis = await connectRedis({ url: server.url, log: { warn: () => {} } });
});
afterAll(async () => {
  await redis.close();
  await server.stop();
});

const times = async (count: number, reserve: () => Promise<number>): Promise<number[]> => {
  const reserved = [];
  for (let at = 0; at < count; at += 1) reserved.push((await reserve()) - nowMs);
  return reserved;
};
const inWindow = (moments: number[], windowMs: number) =>
  Math.max(...moments.map((from) => moments.filter((at) => at >= from && at < from + windowMs).length));
const chat =
  (bot: number, id: number, messages = 1, reservedMs?: number) =>
  () =>
    reserveForChat({ redis, clock }, bot, id, { messages, reservedMs });

describe('a bot that sends', () => {
  test('gets a moment for each message, one a second to a person', async () => {
    const moments = await times(30, chat(1, 5));
    expect(moments[0]).toBe(0);
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
    const moments = await times(95, () => reserveForBot({ redis, clock }, 4, 1));
    expect(inWindow(moments, 1000)).toBe(30);
    expect(moments.at(-1)).toBeLessThan(4_000);
  });

  test('keeps the moment it was given, unless the platform has asked for quiet since', async () => {
    const given = (await times(10, chat(5, 5))).at(-1)! + nowMs;
    expect(await chat(5, 5, 1, given)()).toBe(given);
    await keepQuiet({ redis, clock }, 5, 5, given + 1);
    expect(await chat(5, 5, 1, given)()).toBeGreaterThan(given);
    expect(await chat(5, 6)()).toBe(nowMs);
  });

  test('has its way free again when the moments have passed', async () => {
    await times(20, chat(6, -100_6));
    nowMs += 82_000;
    expect(await chat(6, -100_6)()).toBe(nowMs);
  });
});
