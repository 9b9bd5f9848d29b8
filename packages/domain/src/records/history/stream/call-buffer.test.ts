import { ownPostKey } from '@flotilla/redis/call-keys.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { type TurnQueue, turnQueue } from '@flotilla/redis/turn-queue.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { createMetrics, type Metrics } from '@flotilla/runtime/metrics.ts';
import { secretBox } from '@flotilla/runtime/secret-box.ts';
import { aBot } from '@flotilla/testing/a-bot.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { startTcpRelay, type TcpRelay } from '@flotilla/testing/tcp-relay.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Bot } from '../../../fleet/bots/bot.ts';
import { mirrorBot } from '../../../fleet/bots/bot-mirror.ts';
import type { MemoryPressure } from '../../../fleet/memory/memory-pressure.ts';
import { type CallBuffer, callBuffer } from './call-buffer.ts';
import type { CapturedCall } from './captured-call.ts';

const LIMITS = { calls: 50_000, bytes: 1_000_000, tries: 2_400 };

let server: TestRedis;
let relay: TcpRelay;
/** `redis` is the buffer's connection through the relay; `direct` goes past the relay. */
let redis: RedisHandles;
let direct: RedisHandles;
let history: TurnQueue;
let metrics: Metrics;
let logged: string[];
let bots: Bot[];
let pressure: MemoryPressure;
let nowMs: number;
let nextId = 0;
const buffers: CallBuffer[] = [];
const secrets = secretBox(Buffer.alloc(32, 7).toString('base64'));
const clock = { nowMs: () => nowMs };

beforeAll(async () => {
  server = await startTestRedis();
  relay = await startTcpRelay(server.port);
  const silent = createLogger({ name: 'test', level: 'silent' });
  redis = await connectRedis({ url: `redis://127.0.0.1:${relay.port}`, log: silent });
  direct = await connectRedis({ url: server.url, log: silent });
  history = turnQueue(redis, 'history');
});
afterAll(async () => {
  await relay.restore();
  await history.close();
  await redis.close();
  await direct.close();
  await relay.stop();
  await server.stop();
});
beforeEach(async () => {
  await waitFor(() => redis.commands.ping());
  [metrics, logged, bots, pressure, nowMs] = [createMetrics(), [], [], 'relaxed', Date.now()];
});
afterEach(async () => {
  await relay.restore();
  for (const buffer of buffers.splice(0)) buffer.close();
});

function newBuffer(limits: Partial<typeof LIMITS> = {}, through = redis): CallBuffer {
  const log = createLogger({ name: 'test', level: 'warn', destination: { write: (line) => logged.push(line) } });
  const directory = {
    ready: () => true,
    isConfirmed: () => true,
    byId: (id: number) => bots.find((bot) => bot.id === id),
    byToken: () => undefined,
    byProgramToken: () => undefined,
    byProgram: () => undefined,
    all: () => bots,
    isOwnBot: () => false,
    onChange: () => () => true,
    refresh: async () => {},
  };
  const memory = { pressure: () => pressure, wrote: () => {} };
  const deps = { redis: through, turns: { history }, clock, memory, directory, log, metrics, sent: { note: () => {} } };
  const buffer = callBuffer(deps, { ...LIMITS, ...limits });
  buffers.push(buffer);
  return buffer;
}
/** The same Redis, and how many scripts it was asked for. */
function watchedRedis() {
  let asked = 0;
  const fcall = (...args: Parameters<typeof redis.commands.fcall>) => {
    asked += 1;
    return redis.commands.fcall(...args);
  };
  const commands = new Proxy(redis.commands, {
    get: (real, name) => (name === 'fcall' ? fcall : Reflect.get(real, name)),
  });
  return { watched: { ...redis, commands }, asked: () => asked };
}
async function newBot(overrides: Partial<Bot> = {}): Promise<Bot> {
  nextId += 1;
  const bot = aBot({ id: nextId, ...overrides });
  bots.push(bot);
  await mirrorBot({ redis: direct, secrets }, bot);
  return bot;
}
const message = (id: number): CapturedCall => ({ method: 'sendmessage', params: {}, result: `{"message_id":${id}}` });
const CHANNEL = -1001234567890;
const post = (id: number): CapturedCall => ({
  ...message(id),
  result: `{"message_id":${id},"chat":{"id":${CHANNEL},"type":"channel"}}`,
});
const deletion = (id: number): CapturedCall => ({
  method: 'deletemessage',
  params: { chat_id: '5', message_id: String(id) },
  result: 'true',
});
async function entries(bot: Bot): Promise<Record<string, string>[]> {
  const found = await direct.commands.xrange(botKeys(bot.id).history, '-', '+');
  const all = found.map(([, flat]) =>
    Object.fromEntries(flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? '']] : []))),
  );
  return all.filter((entry) => entry.b === String(bot.id));
}
const ids = async (bot: Bot) => (await entries(bot)).map(({ r = '' }) => JSON.parse(r).message_id);
async function outcomes() {
  const text = await metrics.registry.metrics();
  const of = (name: string) => Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
  return {
    stored: of('flotilla_proxy_captured_calls_total{outcome="stored"}'),
    lost: of('flotilla_proxy_captured_calls_total{outcome="lost"}'),
    waiting: of('flotilla_captured_calls_waiting'),
  };
}
const range = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

describe('calls', () => {
  test('are put on the stream in their order, with the time they were seen and an id where they leave an audit entry', async () => {
    const bot = await newBot();
    const buffer = newBuffer();
    buffer.keep(bot, message(1));
    const seenAtMs = nowMs;
    nowMs += 5_000;
    buffer.keep(bot, deletion(2));
    buffer.keep(bot, deletion(3));
    await buffer.drain();
    const [first, second, third] = await entries(bot);
    expect(first).toMatchObject({ m: 'sendmessage', r: '{"message_id":1}', a: String(seenAtMs) });
    expect(first).not.toHaveProperty('c');
    expect(second).toMatchObject({ m: 'deletemessage', a: String(nowMs), c: expect.stringMatching(/^call:\w+:\d+$/) });
    expect(second?.c).not.toBe(third?.c);
    expect(await outcomes()).toEqual({ stored: 3, lost: 0, waiting: 0 });
  });

  test('that say when they were made keep that time, with which their audit entry may be stored already', async () => {
    const bot = await newBot();
    const buffer = newBuffer();
    buffer.keep(bot, { ...deletion(1), atMs: nowMs - 3_000 });
    await buffer.drain();
    expect(await entries(bot)).toMatchObject([{ a: String(nowMs - 3_000) }]);
  });

  test('of many bots wait for a Redis that is away, and are kept once and in order when it is back', async () => {
    const several = [await newBot(), await newBot(), await newBot()];
    const buffer = newBuffer();
    await relay.cut();
    for (const id of range(500)) for (const bot of several) buffer.keep(bot, message(id));
    await waitFor(() => logged.some((line) => line.includes('calls for the history wait for Redis')));
    expect(await outcomes()).toEqual({ stored: 0, lost: 0, waiting: 1500 });
    await relay.restore();
    await buffer.drain();
    for (const bot of several) expect(await ids(bot)).toEqual(range(500));
    expect(await outcomes()).toEqual({ stored: 1500, lost: 0, waiting: 0 });
    // The reason is logged once, not 1,500 times.
    expect(logged.length).toBeLessThan(5);
  });

  test('are kept once also where only the answers of Redis were lost', async () => {
    const bot = await newBot();
    const buffer = newBuffer();
    await direct.commands.client('PAUSE', 2_500);
    buffer.keep(bot, message(1));
    await waitFor(() => logged.some((line) => line.includes('wait for Redis')));
    buffer.keep(bot, message(2));
    await buffer.drain();
    expect(await ids(bot)).toEqual([1, 2]);
    expect(await outcomes()).toMatchObject({ stored: 2, lost: 0 });
  });

  test('wait for a bot that Redis has lost until it is set up again', async () => {
    const bot = await newBot();
    await direct.commands.flushall();
    const buffer = newBuffer();
    buffer.keep(bot, message(1));
    await waitFor(() => logged.some((line) => line.includes('not set up')));
    await mirrorBot({ redis: direct, secrets }, bot);
    await buffer.drain();
    expect(await ids(bot)).toEqual([1]);
  });

  test('that come while a batch is on its way go together behind it, in their order', async () => {
    const bot = await newBot();
    const { watched, asked } = watchedRedis();
    const buffer = newBuffer({}, watched);
    buffer.keep(bot, message(1));
    for (const id of range(99)) buffer.keep(bot, message(id + 1));
    buffer.keep(bot, post(101));
    await buffer.drain();
    expect([await ids(bot), asked()]).toEqual([range(101), 2]);
    expect(await direct.commands.exists(ownPostKey(CHANNEL, 101))).toBe(1);
  });

  test('of a bot that was deleted are dropped, and not lost', async () => {
    const bot = await newBot();
    await direct.commands.flushall();
    bots = [];
    const buffer = newBuffer();
    buffer.keep(bot, message(1));
    await buffer.drain();
    expect(await outcomes()).toEqual({ stored: 0, lost: 0, waiting: 0 });
  });

  test('wait while memory is scarce; only which posts are ours is remembered at once', async () => {
    const bot = await newBot();
    const buffer = newBuffer();
    pressure = 'scarce';
    const chat = { id: -100_500, type: 'channel' };
    buffer.keep(bot, { method: 'sendmessage', params: {}, result: JSON.stringify({ message_id: 7, chat }) });
    await waitFor(() => direct.commands.exists(ownPostKey(chat.id, 7)));
    await waitFor(() => logged.some((line) => line.includes('no room')));
    expect(await entries(bot)).toEqual([]);
    pressure = 'short';
    await buffer.drain();
    expect(await ids(bot)).toEqual([7]);
  });
});

describe('a call is lost, counted and logged', () => {
  test('when so many wait that it does not fit', async () => {
    const bot = await newBot();
    const buffer = newBuffer({ calls: 3 });
    await relay.cut();
    for (const id of range(5)) buffer.keep(bot, message(id));
    expect(buffer.hasRoom()).toBe(false);
    expect(await outcomes()).toEqual({ stored: 0, lost: 2, waiting: 3 });
    expect(logged.filter((line) => line.includes('could not be kept in the history'))).toHaveLength(1);
    await relay.restore();
    await buffer.drain();
    expect(buffer.hasRoom()).toBe(true);
    expect(await ids(bot)).toEqual([1, 2, 3]);
  });

  test('when what waits is so long that it does not fit', async () => {
    const bot = await newBot();
    const buffer = newBuffer({ bytes: 10_000 });
    await relay.cut();
    const long = { ...message(1), result: `{"message_id":1,"text":"${'x'.repeat(9_900)}"}` };
    for (const call of [long, message(2)]) buffer.keep(bot, call);
    expect(await outcomes()).toMatchObject({ lost: 1, waiting: 1 });
  });

  test('when a Redis that answers has refused it often enough; later ones are tried on', async () => {
    const bot = await newBot();
    await direct.commands.flushall();
    const buffer = newBuffer({ tries: 4 });
    buffer.keep(bot, message(1));
    await waitFor(() => logged.some((line) => line.includes('not set up')));
    buffer.keep(bot, message(2));
    await waitFor(async () => (await outcomes()).lost === 1);
    await mirrorBot({ redis: direct, secrets }, bot);
    await buffer.drain();
    expect(await ids(bot)).toEqual([2]);
    expect(await outcomes()).toEqual({ stored: 1, lost: 1, waiting: 0 });
  });

  test('when Redis refuses it for what is in it; those beside it are kept', async () => {
    const bot = await newBot();
    const buffer = newBuffer();
    const broken = { ...message(2), result: '{"message_id":2,"chat":{"id":-1005,"type":"channel"' };
    for (const call of [message(1), broken, message(3)]) buffer.keep(bot, call);
    await buffer.drain();
    expect([...new Set((await entries(bot)).map(({ r }) => r))]).toEqual(
      expect.arrayContaining(['{"message_id":1}', '{"message_id":3}']),
    );
    expect(await outcomes()).toEqual({ stored: 2, lost: 1, waiting: 0 });
  });

  test('when the process ends with it, in one line for all', async () => {
    const bot = await newBot();
    const buffer = newBuffer();
    await relay.cut();
    for (const id of range(7)) buffer.keep(bot, message(id));
    buffer.close();
    expect(await outcomes()).toMatchObject({ lost: 7 });
    expect(logged.filter((line) => line.includes('missing from the history'))).toEqual([
      expect.stringContaining('"calls":7'),
    ]);
  });
});
