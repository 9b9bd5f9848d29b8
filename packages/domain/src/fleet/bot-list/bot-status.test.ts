import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { aBot } from '@flotilla/testing/a-bot.ts';
import { NO_FLOODS } from '@flotilla/testing/no-floods.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Bot } from '../bots/bot.ts';
import { readBotStatus } from './bot-status.ts';

const NOW_MS = Date.now();
const HOUR_AGO_MS = NOW_MS - 3_600_000;

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
beforeEach(() => redis.commands.flushall());

async function statusOf(bot: Bot, state: Record<string, string | number>) {
  await redis.commands.hset(botKeys(bot.id).state, state);
  return readBotStatus({ redis, floods: NO_FLOODS }, bot);
}

test('the webhook of a bot stands since the platform refuses the bot; of another fault nobody knows since when', async () => {
  const bot = aBot({ webhook_mode: true });
  const fault = { hookOkAt: 0, pollErr: 'Bad Gateway', pollErrAt: NOW_MS };
  expect(await statusOf(bot, fault)).toMatchObject({ running: false, intakeStoppedAtMs: null });
  expect(await statusOf(bot, { refusedAt: HOUR_AGO_MS })).toMatchObject({ intakeStoppedAtMs: HOUR_AGO_MS });
  expect(await statusOf(bot, { hookOkAt: NOW_MS })).toMatchObject({ running: true, intakeStoppedAtMs: null });
});

test('a backend that is switched off does not fail, although its breaker is still open', async () => {
  const backend = { proxy_enabled: true, backend_url: 'http://127.0.0.1:9/' };
  const open = { failingSince: HOUR_AGO_MS, openUntil: NOW_MS + 1 };
  expect(await statusOf(aBot(backend), open)).toMatchObject({ backendState: 'open', failingSinceMs: HOUR_AGO_MS });
  const off = aBot({ ...backend, proxy_enabled: false });
  expect(await statusOf(off, { pushErr: 'x' })).toMatchObject({ backendState: 'ok', failingSinceMs: null });
});
