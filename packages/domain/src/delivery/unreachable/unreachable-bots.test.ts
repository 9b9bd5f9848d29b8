import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import type { PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import { aBot } from '@flotilla/testing/a-bot.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Bot } from '../../fleet/bots/bot.ts';
import { unreachableBots } from './unreachable-bots.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const [OK, BAD_REQUEST]: PlatformAnswer[] = [
  { outcome: 'ok', result: true, text: '' },
  { outcome: 'refused', errorCode: 400, description: 'no' },
];
const NONE: PlatformAnswer = { outcome: 'unreachable', reason: 'ECONNREFUSED', timedOut: false, neverSent: true };
const PAGE: PlatformAnswer = { outcome: 'garbage', status: 504, reason: 'no Bot API answer (HTTP 504)' };
const FLOOD: PlatformAnswer = {
  outcome: 'refused',
  errorCode: 429,
  description: 'x',
  retryAfterS: 3_600,
  byGateway: true,
};

let server: TestRedis;
let redis: RedisHandles;
let made = 0;

beforeAll(async () => {
  server = await startTestRedis();
  redis = await connectRedis({ url: server.url, log: { warn: () => {} } });
});
afterAll(async () => {
  await redis.close();
  await server.stop();
});

async function storedBot(): Promise<Bot> {
  made += 1;
  const bot = aBot({ id: made });
  await redis.commands.hset(botKeys(bot.id).state, 'registrationId', bot.registration_id);
  return bot;
}
const timesOf = async (bot: Bot) => Number(await redis.commands.hget(botKeys(bot.id).state, 'unreachableTimes'));

test.each([NONE, PAGE])('a bot rests at once, longer with each further failure, up to a minute', async (failure) => {
  const bot = await storedBot();
  const bots = unreachableBots({ redis, log });
  const rests = Array.from({ length: 8 }, () => {
    bots.learn(bot, failure, performance.now());
    return Math.round(bots.leftMs(bot.id) / 1000);
  });
  expect(rests).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
});

test('calls that were on their way at the failure are no further ones, and end no rest', async () => {
  const bot = await storedBot();
  const bots = unreachableBots({ redis, log });
  const earlierMs = performance.now();
  bots.learn(bot, NONE, earlierMs);
  bots.learn(bot, NONE, earlierMs);
  expect(bots.leftMs(bot.id)).toBeLessThanOrEqual(1_000);
  bots.learn(bot, OK!, earlierMs);
  expect(bots.leftMs(bot.id)).toBeGreaterThan(0);
});

test('after a rest one call tries, and any answer of the platform ends it', async () => {
  const bot = await storedBot();
  const bots = unreachableBots({ redis, log });
  bots.learn(bot, NONE, performance.now());
  await waitFor(() => bots.leftMs(bot.id) === 0);
  expect(bots.begin(bot.id)).toBe(0);
  expect(bots.begin(bot.id)).toBeGreaterThan(0);
  bots.learn(bot, BAD_REQUEST!, performance.now());
  expect([bots.begin(bot.id), bots.begin(bot.id), bots.isKnown(bot.id)]).toEqual([0, 0, false]);
});

test('a call that was given up says nothing, and a gateway that asks for a long wait gets a minute', async () => {
  const bot = await storedBot();
  const bots = unreachableBots({ redis, log });
  bots.learn(bot, { outcome: 'unreachable', reason: 'aborted', timedOut: false }, performance.now());
  expect(bots.leftMs(bot.id)).toBe(0);
  bots.learn(bot, FLOOD, performance.now());
  expect(Math.round(bots.leftMs(bot.id) / 1000)).toBe(60);
});

test('another process takes over how long the bot rests, and that it is over', async () => {
  const bot = await storedBot();
  const [one, other] = [unreachableBots({ redis, log }), unreachableBots({ redis, log })];
  for (let at = 0; at < 4; at += 1) one.learn(bot, NONE, performance.now());
  await waitFor(async () => (await timesOf(bot)) === 4);
  await other.adopt(bot);
  expect(other.leftMs(bot.id)).toBeGreaterThan(6_000);
  one.learn(bot, OK!, performance.now());
  await waitFor(async () => (await timesOf(bot)) === 0);
  await other.adopt(bot);
  expect([other.leftMs(bot.id), other.isKnown(bot.id)]).toEqual([0, false]);
});

test('a process that never failed ends the rest of others when it is answered', async () => {
  const bot = await storedBot();
  const failed = { unreachableTimes: 4, unreachableAt: Date.now() - 10_000 };
  await redis.commands.hset(botKeys(bot.id).state, failed);
  unreachableBots({ redis, log }).learn(bot, OK!, performance.now());
  await waitFor(async () => (await timesOf(bot)) === 0);
});

test('a process that was answered after the failure of another one does not rest, and says so', async () => {
  const bot = await storedBot();
  const { state } = botKeys(bot.id);
  await redis.commands.hset(state, { unreachableTimes: 7, unreachableAt: Date.now() - 10_000 });
  const bots = unreachableBots({ redis, log });
  bots.learn(bot, OK!, performance.now() - 20_000);
  await bots.adopt(bot);
  expect(bots.leftMs(bot.id)).toBeGreaterThan(40_000);
  const other = unreachableBots({ redis, log });
  other.learn(bot, OK!, performance.now());
  await other.adopt(bot);
  expect([other.leftMs(bot.id), other.isKnown(bot.id)]).toEqual([0, false]);
  await waitFor(async () => (await timesOf(bot)) === 0);
});
