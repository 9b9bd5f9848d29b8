import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { deadLetterStore } from '@flotilla/domain/delivery/deliveries/dead-letter-store.ts';
import { runDeliveryJob } from '@flotilla/domain/delivery/deliveries/run-delivery-job.ts';
import { acceptUpdates } from '@flotilla/domain/delivery/intake/accept-updates.ts';
import { pushTurn } from '@flotilla/domain/delivery/push/push-turn.ts';
import { readBotStatus } from '@flotilla/domain/fleet/bot-list/bot-status.ts';
import { addBot } from '@flotilla/domain/fleet/bots/add-bot.ts';
import type { Bot, BotChanges } from '@flotilla/domain/fleet/bots/bot.ts';
import type { BotDeps } from '@flotilla/domain/fleet/bots/bot-deps.ts';
import { changeBot } from '@flotilla/domain/fleet/bots/change-bot.ts';
import { deleteBot } from '@flotilla/domain/fleet/bots/delete-bot.ts';
import { toggleBot } from '@flotilla/domain/fleet/bots/toggle-bot.ts';
import { updateBot } from '@flotilla/domain/fleet/bots/update-bot.ts';
import { EVERYTHING, within } from '@flotilla/domain/people/accounts/scope.ts';
import { OPERATOR } from '@flotilla/domain/people/audit/actor.ts';
import { beginErasure } from '@flotilla/domain/records/personal-data/erase-person.ts';
import { openService } from '@flotilla/domain/startup/open-service.ts';
import { botKeys, HOUR_MS, rollUpTurnKey } from '@flotilla/redis/keys.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { type ControlClient, controlClient } from '@flotilla/simulator/control-client.ts';
import { type RunningSimulator, startSimulator } from '@flotilla/simulator/start.ts';
import { sliceUpdates } from '@flotilla/telegram/slice-updates.ts';
import { activityKeys, storeCounts } from '@flotilla/testing/activity-counts.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { type RedisOfForm, startRedisOfForm } from '@flotilla/testing/redis-of-form.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readWorkerConfig, type WorkerConfig } from './config.ts';
import { type WorkerContext, workerContext } from './context.ts';
import { startWorker, workerPart } from './start.ts';

/** Read once, because texts made before and after a change of second must be equal. */
const NOW_S = Math.floor(Date.now() / 1000);

let database: TestDatabase;
let redis: RedisOfForm;
let simulator: RunningSimulator;
let control: ControlClient;
let config: WorkerConfig;
let worker: { stop(): Promise<void> };
let context: WorkerContext;
let deps: BotDeps;

beforeAll(async () => {
  database = await testDatabase();
  redis = await startRedisOfForm();
  simulator = await startSimulator();
  control = controlClient(simulator.url);
  config = readWorkerConfig({
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    TELEGRAM_API_URL: simulator.url,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    BACKEND_ALLOWED_CIDRS: '127.0.0.0/8',
    HOST: '127.0.0.1',
    METRICS_PORT: '0',
    LOG_LEVEL: 'warn',
  });
  worker = await startWorker(config);
  context = workerContext(config, await openService([workerPart(config).kind], config, {}));
  deps = context;
});
afterAll(async () => {
  await context.close();
  await worker.stop();
  await simulator.stop();
  await redis.stop();
  await database.drop();
});

let backend: TestBackend;
let answer: (path: string) => number;
beforeEach(async () => {
  answer = () => 200;
  backend = await startBackend((request, response) => {
    response.writeHead(answer(request.text)).end();
  });
});
afterEach(() => backend.stop());

let people = 0;
const registered = async (changes: BotChanges = {}): Promise<{ bot: Bot; platformId: number }> => {
  people += 1;
  const made = await control.createBot({ name: `Bot ${people}`, username: `worker_test_${people}_bot` });
  const bot = await addBot(deps, OPERATOR, { token: made.token, source: 'web', ...changes });
  return { bot, platformId: made.id };
};
const message = (platformId: number, chat: number, text: string) =>
  control.injectUpdate({
    bot: platformId,
    kind: 'message',
    raw: `{"message_id":${chat},"date":${NOW_S},"chat":{"id":${chat},"type":"private"},"text":"${text}"}`,
  });
const plainUpdate = (id: number) =>
  `{"update_id":${id},\n"message":{"message_id":${id},"date":${NOW_S},"chat":{"id":${id}},"text":"plain"}}`;
const texts = () => backend.requests.map((request) => JSON.parse(request.text).message.text as string);

describe('a worker', () => {
  test('erases a person whose erasure was asked for', async () => {
    const { bot } = await registered();
    const [person, other] = [909_090, 909_091];
    const seen = [person, other].map((id) => ({ bot_id: bot.id, chat_id: -1_000_909, user_id: id }));
    await database.db.insertInto('chat_users').values(seen).execute();
    await beginErasure(deps, OPERATOR, person);
    const left = () => database.db.selectFrom('chat_users').select('user_id').where('bot_id', '=', bot.id).execute();
    await waitFor(async () => (await left()).length === 1);
    expect(await left()).toEqual([{ user_id: other }]);
  });

  test('carries an update from the platform to the backend, with its headers and its bytes', async () => {
    const { platformId } = await registered({
      proxy_enabled: true,
      backend_url: `${backend.url}/hook?x=1`,
      secret_token: 's3cret',
    });
    const payload = `{"zzz":1,"message_id":7,"date":${NOW_S},"chat":{"id":5},"n":9223372036854775807,"text":"\\u0041"}`;
    await control.injectUpdate({ bot: platformId, kind: 'message', raw: payload });
    const [request] = await backend.waitForRequests(1);
    expect(request?.url).toBe('/hook?x=1');
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-telegram-bot-api-secret-token': 's3cret',
      'flotilla-delivery-id': expect.stringMatching(/^\d+-\d+$/),
    });
    expect(request?.text).toMatch(/^\{"update_id":\d+,/);
    expect(request?.text).toContain(`"message":${payload}`);
  });

  test('asks the platform daily which username a bot has now', async () => {
    const { bot } = await registered();
    await changeBot(deps, OPERATOR, bot.id, { username: 'its_old_name' });
    await context.redis.commands.del(botKeys(bot.id).usernameCheck);
    // It does so at its start, and then every minute.
    const another = await startWorker(config);
    await waitFor(() => context.directory.byId(bot.id)?.username === bot.username, { timeoutMs: 20_000 });
    await another.stop();
    expect(await context.redis.commands.ttl(botKeys(bot.id).usernameCheck)).toBeGreaterThan(86_000);
  });

  test('keeps the order within a chat while one update fails, and does not hold up other chats', async () => {
    let failures = 2;
    answer = (text) => (text.includes('"a1"') && failures-- > 0 ? 500 : 200);
    const { bot, platformId } = await registered({ proxy_enabled: true, backend_url: backend.url });
    for (const [chat, text] of [
      [1, 'a1'],
      [1, 'a2'],
      [2, 'b1'],
      [2, 'b2'],
      [1, 'a3'],
    ] as const) {
      await message(platformId, chat, text);
    }
    await waitFor(() => texts().includes('a3'), { timeoutMs: 20_000 });
    expect(texts().filter((text) => text.startsWith('a'))).toEqual(['a1', 'a1', 'a1', 'a2', 'a3']);
    expect(texts().indexOf('b2')).toBeLessThan(texts().lastIndexOf('a1'));
    const status = await waitFor(async () => {
      const found = await readBotStatus(context, bot);
      return found.pendingUpdateCount === 0 && found;
    });
    expect(status).toMatchObject({ running: true, backendState: 'ok' });
    expect((await readBotStatus(context, bot)).deliveryError?.message).toBe(
      'Wrong response from the webhook: 500 Internal Server Error',
    );
  });

  const redisAnswers = () =>
    waitFor(() =>
      context.redis.commands.ping().then(
        () => true,
        () => false,
      ),
    );
  const pauseRedis = (ms: number) => Promise.all(context.redis.servers().map((server) => server.client('PAUSE', ms)));

  test('sends nothing twice when Redis answers nothing for a while, and breaks off what is in flight when for long', async () => {
    const open = new Set<ServerResponse>();
    let atOnce = 0;
    let answers = false;
    const slow = await startBackend((_request, response) => {
      open.add(response);
      atOnce = Math.max(atOnce, open.size);
      response.once('close', () => open.delete(response));
      if (answers) response.end();
    });
    const answered = () => {
      answers = true;
      for (const response of open) response.end();
    };
    const { platformId } = await registered({ proxy_enabled: true, backend_url: slow.url });
    await message(platformId, 1, 'once');
    await slow.waitForRequests(1);
    await pauseRedis(4_000);
    answered();
    await message(platformId, 1, 'after it');
    await slow.waitForRequests(2, 60_000);
    expect(slow.requests.map(({ text }) => JSON.parse(text).message.text)).toEqual(['once', 'after it']);

    answers = false;
    await message(platformId, 1, 'again');
    await slow.waitForRequests(3);
    // The first pause closed the test's own connection too.
    await redisAnswers();
    // Longer than a turn can be sure to own its lock.
    await pauseRedis(16_000);
    answers = true;
    await slow.waitForRequests(4, 60_000);
    expect(atOnce).toBe(1);
    await slow.stop();
    await redisAnswers();
  }, 120_000);

  test('delivers a thousand updates of many chats, each once and in order', async () => {
    const { platformId } = await registered({ proxy_enabled: true, backend_url: backend.url });
    for (let at = 0; at < 1000; at += 1) {
      if (at % 100 === 99) await message(platformId, at % 10, `${at}`);
      else message(platformId, at % 10, `${at}`).catch(() => {});
    }
    await backend.waitForRequests(1000, 25_000);
    expect(new Set(texts()).size).toBe(1000);
    expect(backend.requests).toHaveLength(1000);
  });

  test('stops polling a disabled bot, and goes on where it was when it is enabled again', async () => {
    const { bot, platformId } = await registered({ proxy_enabled: true, backend_url: backend.url });
    await message(platformId, 1, 'before');
    await backend.waitForRequests(1);
    await toggleBot(deps, OPERATOR, bot.id);
    await message(platformId, 1, 'meanwhile');
    expect((await readBotStatus(context, { ...bot, disabled: true })).running).toBe(false);
    expect(texts()).toEqual(['before']);
    await toggleBot(deps, OPERATOR, bot.id);
    await waitFor(() => texts().length === 2);
    expect(texts()).toEqual(['before', 'meanwhile']);
  });

  test('says what the platform refused, and polls again when it is well', async () => {
    const { bot, platformId } = await registered({ proxy_enabled: true, backend_url: backend.url });
    await waitFor(async () => (await readBotStatus(context, bot)).running);
    await control.setFault({
      method: 'getUpdates',
      bot: platformId,
      effect: { kind: 'status', status: 502 },
      count: 1,
    });
    await message(platformId, 1, 'after');
    await waitFor(() => texts().includes('after'), { timeoutMs: 20_000 });
  });

  test('the first success at a backend closes its breaker for every bot with the same URL', async () => {
    answer = () => 503;
    const one = await registered({ proxy_enabled: true, backend_url: `${backend.url}/shared` });
    const other = await registered({ proxy_enabled: true, backend_url: `${backend.url}/shared` });
    await message(one.platformId, 1, 'from one');
    await message(other.platformId, 1, 'from the other');
    await waitFor(() => new Set(texts()).size === 2);
    const openBreaker = (bot: Bot, forMs: number) =>
      context.redis.commands.hset(botKeys(bot.id).state, {
        failingSince: Date.now() - 60_000,
        probeIntervalMs: 60_000,
        openUntil: Date.now() + forMs,
      });
    await openBreaker(other.bot, 60_000);
    await openBreaker(one.bot, 1_000);
    const tried = texts().length;
    answer = () => 200;
    await waitFor(() => texts().slice(tried).includes('from the other'), { timeoutMs: 20_000 });
    await waitFor(async () => (await readBotStatus(context, other.bot)).backendState === 'ok');
  });

  test('forgets a deleted bot in Redis and in Postgres', async () => {
    const { bot, platformId } = await registered({ proxy_enabled: true, backend_url: backend.url });
    await message(platformId, 1, 'hello');
    await backend.waitForRequests(1);
    await deleteBot(deps, OPERATOR, bot.id);
    expect(context.directory.byId(bot.id)).toBeUndefined();
    expect(await context.redis.commands.keys(`*:bot:${bot.id}:*`)).toEqual([]);
  });

  test('writes the closed hours of the activity to Postgres', async () => {
    const { bot } = await registered();
    const { commands } = context.redis;
    const atMs = Math.floor(Date.now() / HOUR_MS - 3) * HOUR_MS;
    for (const key of activityKeys(bot.id, atMs)) await storeCounts(commands, key, atMs, '7 6 0 1 2');
    // The worker may have written that hour as an empty one when it started.
    await database.db.deleteFrom('activity_hours').execute();
    await commands.del(rollUpTurnKey);
    const written = () =>
      database.db.selectFrom('activity_hours').selectAll().where('bot_id', '=', bot.id).executeTakeFirst();
    // Nobody looked in that hour how much waited.
    const numbers = { received: 7, delivered: 6, failed: 0, retried: 1, calls: 2, waiting: null };
    expect(await waitFor(written, { timeoutMs: 20_000 })).toEqual({ bot_id: bot.id, at: new Date(atMs), ...numbers });
  });

  test('puts malformed records of the history aside as dead letters, and stores what is behind them', async () => {
    const { bot, platformId } = await registered();
    const { history } = botKeys(bot.id);
    const owner = ['b', String(bot.id), 'g', bot.registration_id, 'a', '1780000000000'];
    const target = { botId: bot.id, chatId: 1, messageId: 2, businessConnectionId: '' };
    const malformed = [
      ['t', 'update', ...owner],
      ['t', 'from a later release', ...owner, 'i', '9', 'u', '{}'],
      ['t', 'link', ...owner, 'l', JSON.stringify({ target })],
      ['t', 'call', ...owner, 'm', 'sendmessage', 'p', '{"chat_id":', 'r', '{}'],
      ['nonsense', '\u0000'],
    ];
    for (const record of malformed) await context.redis.commands.xadd(history, '*', ...record);
    await message(platformId, 77, 'behind them');
    const stored = database.db.selectFrom('messages').select('text').where('bot_id', '=', bot.id);
    await waitFor(async () => (await stored.execute()).length === 1, { timeoutMs: 20_000 });
    // They are removed after their transaction.
    await waitFor(async () => (await context.redis.commands.xlen(history)) === 0);
    const letters = await deadLetterStore(database.db).list(
      within(EVERYTHING, [bot.id, 0]),
      { reader: 'history', reason_code: 'unstorable' },
      { limit: 10, offset: 0, before: null },
    );
    const isWhy = (why: string) => expect.stringMatching(`^The record \\d+:\\d+-\\d+ of .* malformed: .*${why}`);
    expect(letters.map(({ bot_id, reason }) => [bot_id, reason]).reverse()).toEqual([
      [bot.id, isWhy('update id')],
      [bot.id, isWhy('unknown kind from a later release')],
      [bot.id, isWhy('the link has no source')],
      [bot.id, isWhy('a field is not JSON')],
      [0, isWhy('bot id')],
    ]);
    const payloads = letters.map(({ payload }) => JSON.parse(payload)).reverse();
    expect(payloads.map(({ record }) => record)).toEqual(malformed);
    expect(letters.map(({ capture_key }) => capture_key).reverse()).toEqual(payloads.map(({ stream_id }) => stream_id));
  });

  test('an update whose wake was lost is not kept waiting by a turn that sleeps until a later try', async () => {
    const { bot } = await registered({ proxy_enabled: true, backend_url: backend.url });
    await context.turns.push.sleepUntil(bot.id, Date.now() + HOUR_MS);
    const turns = { ...context.turns, push: { ...context.turns.push, wake: async () => {} } };
    const sliced = sliceUpdates(`{"ok":true,"result":[${plainUpdate(1)}]}`);
    await acceptUpdates({ ...context, turns }, bot, sliced!.updates);
    await waitFor(() => texts().length === 1, { timeoutMs: 30_000 });
  });

  test('an update whose handling throws is begun three times and given up; its neighbours go on', async () => {
    const { bot } = await registered({ proxy_enabled: true, backend_url: 'http://127.0.0.1:1/' });
    const begun: number[] = [];
    const backends = {
      ...context.backends,
      to: () => {
        begun.push(1);
        throw new Error('a bug of ours');
      },
    };
    await worker.stop();
    const sliced = sliceUpdates(`{"ok":true,"result":[${[1, 2].map(plainUpdate).join()}]}`);
    await acceptUpdates(context, bot, sliced!.updates);
    const lease = {
      signal: new AbortController().signal,
      ownsTurn: () => true,
      mayHold: () => false,
      hold: (wait: Promise<void>) => wait,
    };
    await pushTurn({ ...context, log: createLogger({ name: 'test', level: 'silent' }), backends }, bot.id, lease);
    expect(begun).toHaveLength(6);
    worker = await startWorker(config);
    const letters = () =>
      deadLetterStore(database.db).list(within(EVERYTHING, [bot.id]), {}, { limit: 10, offset: 0, before: null });
    await waitFor(async () => (await letters()).length === 2);
    const reasons = (await letters()).map(({ reason }) => reason);
    expect(new Set(reasons)).toEqual(new Set(['its handling was begun 3 times and never ended']));
    await updateBot(deps, OPERATOR, bot.id, { backend_url: backend.url });
    const redrive = { action: 'redrive' as const, scope: within(EVERYTHING, [bot.id]), query: {} };
    expect(await runDeliveryJob(context, OPERATOR, redrive, 5_000)).toMatchObject({ matched: 2, done: 2, refused: 0 });
    await backend.waitForRequests(2);
  });
});
