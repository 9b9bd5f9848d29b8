import { connectDatabase, type Database } from '@flotilla/database/connect.ts';
import { acceptUpdates } from '@flotilla/domain/delivery/intake/accept-updates.ts';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import { followDirectory } from '@flotilla/domain/fleet/bots/follow-directory.ts';
import { reconcileBots } from '@flotilla/domain/fleet/bots/reconcile-bots.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, HELD_TURN_PREFIX } from '@flotilla/redis/keys.ts';
import { functionNameOf } from '@flotilla/redis/scripts.ts';
import { type TurnQueue, turnQueue } from '@flotilla/redis/turn-queue.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { secretBox } from '@flotilla/runtime/secret-box.ts';
import { sliceUpdates } from '@flotilla/telegram/slice-updates.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { FLEET_ENCRYPTION_KEY, type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import type { FleetProcess } from '@flotilla/testing/fleet/fleet-process.ts';
import { loadScript } from '@flotilla/testing/lua-script.ts';
import { insertManyBots } from '@flotilla/testing/many-bots.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';

const MANY = 2_000;
const AT_ONCE = 250;
/** A killed worker's turn is taken over after 7 to 11 s. */
const TAKEN_OVER_WITHIN_MS = 30_000;
/** Upkeep tells a holder after 5 s, in rounds of 5 s. */
const TOLD_WITHIN_MS = 30_000;
const PUSH = { WORKER_ROLES: 'push' };

let fleet: Fleet;
let backend: TestBackend;
let db: Database;
let redis: RedisHandles;
let directory: Awaited<ReturnType<typeof followDirectory>>;
let turns: Record<'push' | 'programs' | 'rules' | 'history', TurnQueue>;
let bots: Bot[];
let nextId = 1;

const log = createLogger({ name: 'test', level: 'warn' });
const secrets = secretBox(FLEET_ENCRYPTION_KEY);

beforeAll(async () => {
  fleet = await startFleet({ apis: 0, workers: 0 });
  backend = await startBackend();
  db = connectDatabase({ url: fleet.database.url, maxConnections: 2 });
  redis = await connectRedis({ url: fleet.redis.url, log });
  directory = await followDirectory({ redis, secrets, log });
  turns = {
    push: turnQueue(redis, 'push'),
    programs: turnQueue(redis, 'programs'),
    rules: turnQueue(redis, 'rules'),
    history: turnQueue(redis, 'history'),
  };
  await insertManyBots(db, MANY, () => backend.url);
  await reconcileBots({ db, redis, secrets, directory, turns, clock: systemClock, log });
  bots = directory.all();
}, 60_000);
beforeEach(() => {
  backend.requests.length = 0;
});
afterAll(async () => {
  directory?.close();
  await Promise.all(Object.values(turns ?? {}).map((queue) => queue.close()));
  await redis?.close();
  await db?.destroy();
  await backend?.stop();
  await fleet?.stop();
}, 60_000);

/** Gives each bot an update; returns the ids of these updates. */
async function accept(some: Bot[], handles = redis): Promise<number[]> {
  const deps = { redis: handles, turns, clock: systemClock };
  return Promise.all(
    some.map(async (bot) => {
      const id = nextId++;
      const date = Math.floor(Date.now() / 1000);
      const raw = `{"update_id":${id},"message":{"message_id":${id},"date":${date},"chat":{"id":5,"type":"private"}}}`;
      const accepted = await acceptUpdates(deps, bot, sliceUpdates(`{"ok":true,"result":[${raw}]}`)!.updates);
      expect(accepted).toMatchObject({ appended: 1 });
      return id;
    }),
  );
}

const arrived = () => backend.requests.map(({ text }) => (JSON.parse(text) as { update_id: number }).update_id);
const allArrived = (ids: number[], timeoutMs = 30_000) =>
  waitFor(() => ids.every((id) => new Set(arrived()).has(id)), { timeoutMs, message: 'the updates' });
const isPending = async (bot: Bot, prefix = '') =>
  (await redis.commands.zscore(botKeys(bot.id).pendingTurns, `${prefix}${bot.id}:push`)) !== null;
/** True if a worker holds the turn, which has nothing to do. */
const isHeldNow = async (bot: Bot) => (await isPending(bot, HELD_TURN_PREFIX)) && !(await isPending(bot));
const untilHeld = (some: Bot[], wanted = some.length) =>
  waitFor(
    async () => {
      const held = (await Promise.all(some.map(isHeldNow))).filter(Boolean).length;
      if (held >= wanted) return true;
      throw new Error(`${held} of ${some.length} turns are held`);
    },
    { timeoutMs: 60_000, message: 'turns to be held' },
  );
/** How many jobs BullMQ has numbered so far. */
const jobs = async () => {
  const ids = await redis.runMany(turns.push.parts.map((part) => ['get', part.toKey('id')]));
  return ids.reduce<number>((sum, id) => sum + Number(id), 0);
};

async function endWith(end: (worker: FleetProcess) => Promise<unknown>): Promise<void> {
  await Promise.all(fleet.workers.splice(0).map(end));
}

/** An intake whose messages to the holders get lost. */
function silent(): RedisHandles {
  const text = loadScript('accept-updates').replaceAll("redis.call('PUBLISH',", "({ call = function() end }).call('',");
  const commands = new Proxy(redis.commands, {
    get: (target, name, receiver) =>
      name === 'fcall'
        ? (called: string, keyCount: number, ...args: (string | number)[]) =>
            called === functionNameOf('accept-updates')
              ? target.eval(text, keyCount, ...args)
              : target.fcall(called, keyCount, ...args)
        : Reflect.get(target, name, receiver),
  });
  return { ...redis, commands };
}

test('a held turn gets later updates without another job, and one worker of two delivers each once', async () => {
  await Promise.all([fleet.start('worker', PUSH), fleet.start('worker', PUSH)]);
  const some = bots.slice(0, 20);
  await allArrived(await accept(some));
  await untilHeld(some);
  const before = await jobs();
  const later: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const ids = await accept(some);
    await allArrived(ids);
    later.push(...ids);
  }
  await untilHeld(some);
  expect(await jobs()).toBe(before);
  expect(arrived().filter((id) => later.includes(id))).toHaveLength(later.length);
  await endWith((worker) => worker.stop());
}, 120_000);

test('when the holder is killed, another worker takes its turns and what came meanwhile', async () => {
  await fleet.start('worker', PUSH);
  const some = bots.slice(0, 20);
  await allArrived(await accept(some));
  await untilHeld(some);
  await endWith((worker) => worker.kill());
  const ids = await accept(some);
  await fleet.start('worker', PUSH);
  await allArrived(ids, TAKEN_OVER_WITHIN_MS);
  await untilHeld(some);
  await allArrived(await accept(some));
  await endWith((worker) => worker.stop());
}, 120_000);

test('a holder that heard nothing is told by upkeep, or looks when its connection is back', async () => {
  await fleet.start('worker', PUSH);
  const [bot] = bots as [Bot];
  await allArrived(await accept([bot]));
  await untilHeld([bot]);

  const missed = await accept([bot], silent());
  await redis.runMany([['client', 'KILL', 'TYPE', 'pubsub']]);
  await allArrived(missed);
  await untilHeld([bot]);

  const before = await jobs();
  const lost = await accept([bot], silent());
  await fleet.start('worker', { WORKER_ROLES: 'upkeep' });
  await allArrived(lost, TOLD_WITHIN_MS);
  expect(await jobs()).toBe(before);
  await endWith((worker) => worker.stop());
}, 120_000);

test('a worker that holds a thousand turns stops in time and leaves nothing behind', async () => {
  const worker = await fleet.start('worker', PUSH);
  // While more than half of the turns that may run do, those that have nothing to do end.
  for (let from = 0; from < MANY; from += AT_ONCE) {
    await allArrived(await accept(bots.slice(from, from + AT_ONCE)), 120_000);
  }
  // On a busy machine the first end before the last begin.
  await untilHeld(bots, MANY / 2);
  // Turns that found no room for a request sleep, and look again.
  await waitFor(async () => (await turns.push.counts()).delayed === 0, {
    timeoutMs: 60_000,
    message: 'no sleeping turn',
  });
  fleet.workers.splice(0);
  const beganAtMs = performance.now();
  expect(await worker.stop()).toBe(0);
  expect(performance.now() - beganAtMs).toBeLessThan(15_000);
  expect(await turns.push.counts()).toEqual({ active: 0, waiting: 0, delayed: 0 });
  expect([await isPending(bots[0]!), await isPending(bots[0]!, HELD_TURN_PREFIX)]).toEqual([false, false]);
  const ids = await accept(bots.slice(0, 20));
  await fleet.start('worker', PUSH);
  await allArrived(ids);
  await endWith((other) => other.stop());
}, 240_000);
