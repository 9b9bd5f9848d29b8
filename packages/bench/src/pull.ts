import { connect, type Socket } from 'node:net';
import { followDirectory } from '@flotilla/domain/bots/follow-directory.ts';
import { acceptUpdates } from '@flotilla/domain/intake/accept-updates.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { turnQueue } from '@flotilla/redis/turn-queue.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { secretBox } from '@flotilla/runtime/secret-box.ts';
import { sliceUpdates } from '@flotilla/telegram/slice-updates.ts';
import { FLEET_ENCRYPTION_KEY, type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { Pool } from 'undici';
import { percentile } from './percentile.ts';
import { ownMemoryMb } from './process-usage.ts';
import { ms, perSecond, report } from './report.ts';

const WAKE_UPS = 1_000;
const BACKLOG = 50_000;
const BATCH = 100;
const IDLE_POLLS = 10_000;
const IDLE_BOTS = 100;
const SETTLED_AFTER_S = 16;

/** Measures how soon an append elsewhere wakes a waiting poll, and how fast a backlog is drained. */
export async function benchPull(database: { url: string }): Promise<void> {
  const fleet = await startFleet({ apis: 1, workers: 0 }, { LOG_LEVEL: 'warn' }, database);
  const log = createLogger({ name: 'bench', level: 'warn' });
  const redis = await connectRedis({ url: fleet.redis.url, log });
  const directory = await followDirectory({ redis, secrets: secretBox(FLEET_ENCRYPTION_KEY), log });
  const turns = {
    push: turnQueue(redis, 'push'),
    programs: turnQueue(redis, 'programs'),
    rules: turnQueue(redis, 'rules'),
    history: turnQueue(redis, 'history'),
  };
  const append = async (botId: number, ids: number[]) => {
    await directory.refresh();
    const sliced = sliceUpdates(`{"ok":true,"result":[${ids.map(updateText).join(',')}]}`);
    await acceptUpdates({ redis, turns, clock: systemClock }, directory.byId(botId)!, sliced!.updates);
  };
  try {
    const wakeUps = await measureWakeUps(fleet, append);
    const drained = await measureDrain(fleet, append);
    const idle = await measureIdlePolls(fleet, redis);
    report('Pull, one api process', [
      { what: 'append → waiting poll answered, p50', figure: ms(percentile(wakeUps, 50)) },
      { what: 'append → waiting poll answered, p99', figure: ms(percentile(wakeUps, 99)), target: '≤ 10 ms' },
      {
        what: `${IDLE_POLLS.toLocaleString('en')} idle polls, memory of each at most`,
        figure: `${idle.kbEach.toFixed(1)} KB`,
        target: '≤ 20 KB',
      },
      {
        what: 'connections to Redis with one poll, and with all',
        figure: `${idle.redisBefore}, ${idle.redisAfter}`,
        target: 'no more',
      },
      { what: 'backlog drained, limit 100', figure: perSecond(drained), target: '≥ 50,000/s' },
    ]);
  } finally {
    directory.close();
    await turns.push.close();
    await turns.rules.close();
    await turns.history.close();
    await redis.close();
    await fleet.stop();
  }
}

type Append = (botId: number, ids: number[]) => Promise<void>;

async function measureWakeUps(fleet: Fleet, append: Append): Promise<number[]> {
  const bot = await fleet.addBot({ long_poll_enabled: true, manage_enabled: false });
  const poll = poller(fleet, bot.token);
  const took: number[] = [];
  for (let id = 1; id <= WAKE_UPS; id += 1) {
    const answered = poll.get(id, 30);
    // The poll must be waiting before the append, because its own travel time is not to be measured.
    await new Promise((resolve) => setTimeout(resolve, 3));
    const appendedAt = performance.now();
    await append(bot.id, [id]);
    await answered;
    took.push(performance.now() - appendedAt);
  }
  await poll.close();
  return took;
}

async function measureDrain(fleet: Fleet, append: Append): Promise<number> {
  const bot = await fleet.addBot({ long_poll_enabled: true, manage_enabled: false });
  for (let from = 1; from <= BACKLOG; from += BATCH) {
    await append(
      bot.id,
      Array.from({ length: BATCH }, (_, at) => from + at),
    );
  }
  const poll = poller(fleet, bot.token);
  const begunAt = performance.now();
  for (let offset = 1; offset <= BACKLOG; offset += BATCH) await poll.get(offset, 0);
  const tookMs = performance.now() - begunAt;
  await poll.close();
  return (BACKLOG * 1000) / tookMs;
}

/** The cost of waiting polls that get no updates: memory of the api, and connections to Redis. */
async function measureIdlePolls(fleet: Fleet, redis: RedisHandles) {
  const tokens: string[] = [];
  for (let at = 0; at < IDLE_BOTS; at += 1) {
    tokens.push((await fleet.addBot({ long_poll_enabled: true, manage_enabled: false })).token);
  }
  const api = fleet.apis[0]!;
  const redisClients = async () =>
    String(await redis.commands.client('LIST'))
      .trim()
      .split('\n').length;
  const sockets: Socket[] = [];
  const poll = (at: number) => {
    const socket = connect(api.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(`GET /tgapi/bot${tokens[at % IDLE_BOTS]}/getUpdates?timeout=50 HTTP/1.1\r\nHost: idle\r\n\r\n`);
    sockets.push(socket);
  };
  const waiting = async () => (await readMetric(api, 'flotilla_waiting_polls')) ?? 0;
  poll(0);
  await waitFor(async () => (await waiting()) >= 1, { timeoutMs: 30_000, message: 'a poll that waits' });
  const redisBefore = await redisClients();
  const before = ownMemoryMb(api.pid);
  for (let at = 1; at < IDLE_POLLS; at += 1) {
    poll(at);
    if (at % 200 === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await waitFor(async () => (await waiting()) >= IDLE_POLLS, { timeoutMs: 45_000, message: 'all polls to wait' });
  const settled = await settledMemoryMb(api.pid);
  const kbEach = ((settled - before) * 1024) / IDLE_POLLS;
  const redisAfter = await redisClients();
  for (const socket of sockets) socket.destroy();
  return { kbEach, redisBefore, redisAfter };
}

/**
 * The highest memory at any second of this time, in which each poll looks for updates three times by itself. The
 * garbage of these looks is part of the cost of polls.
 */
async function settledMemoryMb(pid: number): Promise<number> {
  let mostMb = 0;
  for (let second = 0; second < SETTLED_AFTER_S; second += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    mostMb = Math.max(mostMb, ownMemoryMb(pid));
  }
  return mostMb;
}

function poller(fleet: Fleet, token: string) {
  const pool = new Pool(`http://127.0.0.1:${fleet.apis[0]!.port}`, { connections: 1 });
  return {
    get: async (offset: number, timeoutS: number) => {
      const path = `/tgapi/bot${token}/getUpdates?offset=${offset}&limit=${BATCH}&timeout=${timeoutS}`;
      const { body } = await pool.request({ path, method: 'GET' });
      return body.text();
    },
    close: () => pool.close(),
  };
}

function updateText(id: number): string {
  const chat = '{"id":5,"type":"private","first_name":"Ann"}';
  const date = Math.floor(Date.now() / 1000);
  return `{"update_id":${id},\n"message":{"message_id":${id},"from":{"id":5,"is_bot":false,"first_name":"Ann"},"chat":${chat},"date":${date},"text":"number ${id}"}}`;
}
