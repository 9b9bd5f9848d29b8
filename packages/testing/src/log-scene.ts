import { acceptUpdates } from '@flotilla/domain/delivery/intake/accept-updates.ts';
import { textsOf } from '@flotilla/domain/delivery/pull/pulled-updates.ts';
import { type PullRequest, readUpdates } from '@flotilla/domain/delivery/pull/read-updates.ts';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import { mirrorBot } from '@flotilla/domain/fleet/bots/bot-mirror.ts';
import { type ChannelWaiters, channelWaiters } from '@flotilla/redis/channel-waiters.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, channels } from '@flotilla/redis/keys.ts';
import { type TurnQueue, turnQueue } from '@flotilla/redis/turn-queue.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { secretBox } from '@flotilla/runtime/secret-box.ts';
import { sliceUpdates } from '@flotilla/telegram/slice-updates.ts';
import { aBot } from './a-bot.ts';
import { passTime } from './pass-time.ts';
import { startTestRedis, type TestRedis } from './redis.ts';

type Turns = Record<'push' | 'programs' | 'rules' | 'outbox' | 'history', TurnQueue>;
type Deps = {
  redis: RedisHandles;
  turns: Turns;
  clock: { nowMs(): number };
  waiters: ChannelWaiters;
  secrets: ReturnType<typeof secretBox>;
};
export type LogScene = {
  open(): Promise<void>;
  clear(): Promise<void>;
  close(): Promise<void>;
  server(): TestRedis;
  redis(): RedisHandles;
  deps(): Deps;
  /** The clock of the process that takes part: an hour ahead of that of Redis, and it stands still. */
  nowMs(): number;
  /** Makes it look as if so much time had gone by for the bot. */
  passMs(bot: Bot, ms: number): Promise<void>;
  /** A bot with long polling that Redis knows, another one at each call. */
  registered(overrides: Partial<Bot>): Promise<Bot>;
  /** The text of an update. */
  update(id: number, kind?: string, chat?: number): string;
  accept(bot: Bot, ...raws: string[]): ReturnType<typeof acceptUpdates>;
  read(bot: Bot, request?: Partial<PullRequest>): Promise<string[]>;
  idsOf(bot: Bot, request?: Partial<PullRequest>): Promise<number[]>;
};

/** A Redis of the test file's own, for tests of what is appended to the log of a bot and of how it is read. */
export function logScene(): LogScene {
  let server: TestRedis;
  let deps: Deps;
  const nowMs = Date.now() + 3_600_000;
  let botId = 0;
  const clock = { nowMs: () => nowMs };
  const scene: LogScene = {
    open: async () => {
      server = await startTestRedis();
      const redis = await connectRedis({ url: server.url, log: createLogger({ name: 'test', level: 'silent' }) });
      deps = {
        redis,
        turns: {
          push: turnQueue(redis, 'push'),
          programs: turnQueue(redis, 'programs'),
          rules: turnQueue(redis, 'rules'),
          outbox: turnQueue(redis, 'outbox'),
          history: turnQueue(redis, 'history'),
        },
        clock,
        waiters: channelWaiters(redis, channels.appended),
        secrets: secretBox(Buffer.alloc(32, 7).toString('base64')),
      };
    },
    clear: async () => {
      await deps.redis.commands.flushall();
    },
    close: async () => {
      deps.waiters.close();
      for (const queue of Object.values(deps.turns)) await queue.close();
      await deps.redis.close();
      await server.stop();
    },
    server: () => server,
    redis: () => deps.redis,
    deps: () => deps,
    nowMs: () => nowMs,
    passMs: (bot, ms) => passTime(deps.redis.commands, botKeys(bot.id), ms),
    registered: async (overrides) => {
      botId += 1;
      const bot = aBot({ id: botId, long_poll_enabled: true, ...overrides });
      await mirrorBot(deps, bot);
      return bot;
    },
    update: (id, kind = 'message', chat = 5) =>
      `{"update_id":${id},\n"${kind}":{"message_id":${id},"date":${Math.floor(Date.now() / 1000)},"chat":{"id":${chat},"type":"private"},"from":{"id":${chat}},"text":"п${id}"}}`,
    accept: (bot, ...raws) => {
      const sliced = sliceUpdates(`{"ok":true,"result":[${raws.join(',\n')}]}`);
      if (!sliced) throw new Error('the test made no valid answer');
      return acceptUpdates(deps, bot, sliced.updates);
    },
    read: async (bot, request = {}) =>
      textsOf(
        await readUpdates(deps, bot, {
          consumer: null,
          offset: 0,
          limit: 100,
          timeoutMs: 0,
          kinds: null,
          throttle: false,
          signal: new AbortController().signal,
          ...request,
        }),
      ),
    idsOf: async (bot, request) => idsIn(await scene.read(bot, request)),
  };
  return scene;
}

export function idsIn(raws: string[]): number[] {
  return raws.map((raw) => (JSON.parse(raw) as { update_id: number }).update_id);
}
