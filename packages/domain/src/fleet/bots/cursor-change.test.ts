import { botKeys } from '@flotilla/redis/keys.ts';
import { type TurnQueue, turnQueue } from '@flotilla/redis/turn-queue.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { allowOnly } from '@flotilla/testing/allow-only.ts';
import { logScene } from '@flotilla/testing/log-scene.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Bot } from './bot.ts';
import type { BotDeps } from './bot-deps.ts';
import { mirrorBot } from './bot-mirror.ts';
import { columnsOf, openBot } from './bot-row.ts';
import { botStore } from './bot-store.ts';
import { changeBot } from './change-bot.ts';
import { clearBackend } from './clear-backend.ts';
import { followDirectory } from './follow-directory.ts';
import { newestBot } from './newest-bot.ts';
import { reconcileBots } from './reconcile-bots.ts';
import { setBackend } from './set-backend.ts';

const BY = { kind: 'bot', address: null } as const;
const BACKEND = { url: 'http://127.0.0.1:9/', dropPending: false };
const log = createLogger({ name: 'test', level: 'silent' });
const scene = logScene();
const { accept, idsOf, redis, update } = scene;
let database: TestDatabase;
let deps: BotDeps;
let polling: TurnQueue;
let directory: Awaited<ReturnType<typeof followDirectory>>;

beforeAll(async () => {
  await scene.open();
  database = await testDatabase();
  const { clock, secrets } = scene.deps();
  polling = turnQueue(redis(), 'polling');
  directory = await followDirectory({ redis: redis(), secrets, log });
  deps = {
    ...{ db: database.db, redis: redis(), secrets, clock, directory, log },
    turns: { ...scene.deps().turns, polling },
    backendPolicy: allowOnly(['127.0.0.0/8']),
  } as unknown as BotDeps;
});
afterAll(async () => {
  directory.close();
  await polling.close();
  await database.drop();
  await scene.close();
});

/** A long-polled bot with three updates, of which the first is acknowledged. */
async function polledBot(): Promise<Bot> {
  const id = await storedBot(database.db);
  const { secrets } = deps;
  const store = botStore(database.db);
  const changes = { token: `${id}:token-of-this-bot`, long_poll_enabled: true };
  await store.update(id, columnsOf(secrets, id, changes));
  const bot = openBot(secrets, (await store.byId(id))!);
  await mirrorBot(deps, bot);
  await reconcileBots(deps);
  await accept(bot, update(1), update(2), update(3));
  await idsOf(bot, { offset: 2 });
  return bot;
}
/** The same Redis, which fails every script of this name. */
const without = (script: string): BotDeps => {
  const fcall = (name: string, ...args: [number, ...string[]]) =>
    name.includes(script) ? Promise.reject(new Error('the process ends here')) : redis().commands.fcall(name, ...args);
  return { ...deps, redis: { ...redis(), commands: Object.create(redis().commands, { fcall: { value: fcall } }) } };
};
const pushCursor = ({ id }: Bot) => redis().commands.hget(botKeys(id).state, 'pushCursor');

test('a setWebhook whose process ends before Redis knows of it hands over what waits all the same', async () => {
  const bot = await polledBot();
  await expect(setBackend(without('apply_bot'), BY, bot, BACKEND)).rejects.toThrow('the process ends here');
  await reconcileBots(deps);
  expect(await pushCursor(bot)).toBe('1');
  expect(await setBackend(deps, BY, bot, BACKEND)).toBe('already-set');
});

test('updates that wait have a turn, whoever applies the change', async () => {
  const bot = await polledBot();
  await expect(setBackend(without('apply_bot'), BY, bot, BACKEND)).rejects.toThrow();
  await reconcileBots(deps);
  await waitFor(async () => Object.values(await deps.turns.push.counts()).some((count) => count > 0));
});

test('a process that has not heard of the last change decides by what is stored', async () => {
  const bot = await polledBot();
  await setBackend(deps, BY, bot, BACKEND);
  const asSet = await newestBot(deps, bot);
  await clearBackend(deps, BY, bot, { dropPending: false });
  expect(await setBackend(deps, BY, asSet, BACKEND)).toBe('set');
  expect(await clearBackend(deps, BY, bot, { dropPending: false })).toBe('deleted');
});

test('what waits is dropped also if another change is faster', async () => {
  const bot = await polledBot();
  let isFirst = true;
  const fcall = async (name: string, ...args: [number, ...string[]]) => {
    if (name.includes('apply_bot') && isFirst) {
      isFirst = false;
      await changeBot(deps, BY, bot.id, { description: 'faster' });
    }
    return redis().commands.fcall(name, ...args);
  };
  const commands = Object.create(redis().commands, { fcall: { value: fcall } });
  await changeBot({ ...deps, redis: { ...redis(), commands } }, BY, bot.id, {}, { dropPending: true });
  expect(await idsOf(bot)).toEqual([]);
});

test('eight changes are kept, the last ones', async () => {
  const bot = await polledBot();
  for (let count = 1; count <= 10; count += 1)
    await changeBot(deps, BY, bot.id, { description: `${count}` }, { retryNow: true });
  await changeBot(deps, BY, bot.id, { description: 'no effect on what waits' });
  const row = await botStore(database.db).byId(bot.id);
  expect(row?.cursor_changes).toHaveLength(8);
  expect(row?.cursor_changes.at(-1)).toMatchObject({ retryNow: true, revision: row!.revision - 1 });
});
