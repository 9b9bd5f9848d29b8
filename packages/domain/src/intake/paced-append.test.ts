import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { type TurnQueue, turnQueue } from '@flotilla/redis/turn-queue.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { secretBox } from '@flotilla/runtime/secret-box.ts';
import { sliceUpdates } from '@flotilla/telegram/slice-updates.ts';
import { aBot } from '@flotilla/testing/a-bot.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Bot } from '../bots/bot.ts';
import { mirrorBot } from '../bots/bot-mirror.ts';
import { sharedLimiter } from '../lanes/shared-limiter.ts';
import { type AcceptDeps, acceptUpdates } from './accept-updates.ts';

const MANY = 50;
const accepted = (appended: number) => ({ outcome: 'accepted', appended, duplicates: 0 });

let server: TestRedis;
let redis: RedisHandles;
let turns: Record<'push' | 'programs' | 'rules' | 'history', TurnQueue>;
let bots: Bot[];

beforeAll(async () => {
  server = await startTestRedis();
  redis = await connectRedis({ url: server.url, log: createLogger({ name: 'test', level: 'silent' }) });
  turns = {
    push: turnQueue(redis, 'push'),
    programs: turnQueue(redis, 'programs'),
    rules: turnQueue(redis, 'rules'),
    history: turnQueue(redis, 'history'),
  };
});

beforeEach(async () => {
  await redis.commands.flushall();
  const secrets = secretBox(Buffer.alloc(32, 7).toString('base64'));
  bots = Array.from({ length: 12 }, (_, at) => aBot({ id: at + 1, longPollEnabled: true }));
  for (const bot of bots) await mirrorBot({ redis, clock: systemClock, secrets }, bot);
});

afterAll(async () => {
  for (const queue of Object.values(turns)) await queue.close();
  await redis.close();
  await server.stop();
});

function accept(deps: Partial<AcceptDeps>, bot: Bot, count: number) {
  const updates = Array.from({ length: count }, (_, at) => ({
    update_id: at + 1,
    message: { message_id: at + 1, date: Math.floor(Date.now() / 1000), chat: { id: 5, type: 'private' }, text: 'hi' },
  }));
  const { updates: sliced } = sliceUpdates(JSON.stringify({ ok: true, result: updates }))!;
  return acceptUpdates({ redis, turns, clock: systemClock, ...deps }, bot, sliced);
}

/** The same Redis, and the most scripts that it was asked for and had not answered at any time. */
function watched() {
  let asked = 0;
  let most = 0;
  const fcall = (...args: Parameters<typeof redis.commands.fcall>) => {
    asked += 1;
    most = Math.max(most, asked);
    return redis.commands.fcall(...args).finally(() => {
      asked -= 1;
    });
  };
  const commands = new Proxy(redis.commands, {
    get: (real, name) => (name === 'fcall' ? fcall : Reflect.get(real, name)),
  });
  return { redis: { ...redis, commands }, most: () => most };
}

test('large appends of many bots come to Redis a few at a time', async () => {
  const { redis: seen, most } = watched();
  const largeAppends = sharedLimiter(2);
  const all = await Promise.all(bots.map((bot) => accept({ redis: seen, largeAppends }, bot, MANY)));
  expect(all).toEqual(bots.map(() => accepted(MANY)));
  expect(most()).toBe(2);
  expect(largeAppends.taken()).toBe(0);
});

test('an append of a few updates does not wait for large ones', async () => {
  const largeAppends = sharedLimiter(1);
  largeAppends.take();
  let isLargeDone = false;
  const large = accept({ largeAppends }, bots[0]!, MANY).finally(() => {
    isLargeDone = true;
  });
  expect(await accept({ largeAppends }, bots[1]!, 1)).toEqual(accepted(1));
  expect(isLargeDone).toBe(false);
  largeAppends.giveBack();
  expect(await large).toEqual(accepted(MANY));
});

test('a large append waits for those before it only for a while, because they may hang', async () => {
  const largeAppends = sharedLimiter(1);
  largeAppends.take();
  expect(await accept({ largeAppends }, bots[0]!, MANY)).toEqual(accepted(MANY));
  expect(largeAppends.taken()).toBe(1);
});

test('an append of a few updates goes to Redis at the moment that it shares with others', async () => {
  let come: () => void = () => {};
  const moment = new Promise<void>((resolve) => {
    come = resolve;
  });
  const { redis: seen, most } = watched();
  const smallAppends = { next: () => moment };
  const both = bots.slice(0, 2).map((bot) => accept({ redis: seen, smallAppends }, bot, 1));
  await redis.commands.ping();
  expect(most()).toBe(0);
  come();
  expect(await Promise.all(both)).toEqual([accepted(1), accepted(1)]);
  expect(most()).toBe(2);
});

test('an append that fails gives its place back', async () => {
  const closed = await connectRedis({ url: server.url, log: createLogger({ name: 'test', level: 'silent' }) });
  await closed.close();
  const largeAppends = sharedLimiter(1);
  await expect(accept({ redis: closed, largeAppends }, bots[0]!, MANY)).rejects.toThrow();
  expect(largeAppends.taken()).toBe(0);
});
