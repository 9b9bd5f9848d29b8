import { connectDatabase, type Database } from '@flotilla/database/connect.ts';
import { acceptUpdates } from '@flotilla/domain/delivery/intake/accept-updates.ts';
import { followDirectory } from '@flotilla/domain/fleet/bots/follow-directory.ts';
import { reconcileBots } from '@flotilla/domain/fleet/bots/reconcile-bots.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { readServerState } from '@flotilla/redis/server-state.ts';
import { type TurnQueue, turnQueue } from '@flotilla/redis/turn-queue.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { secretBox } from '@flotilla/runtime/secret-box.ts';
import { sliceUpdates } from '@flotilla/telegram/slice-updates.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { FLEET_ENCRYPTION_KEY, type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { insertManyBots } from '@flotilla/testing/many-bots.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const BOTS = 10_000;
const ROWS = 500;
const MEMORY_LIMIT = 100 * 1024 * 1024;

let fleet: Fleet;
let backend: TestBackend;
let db: Database;
let redis: RedisHandles;
let directory: Awaited<ReturnType<typeof followDirectory>>;
let turns: Record<'push' | 'programs' | 'rules' | 'history', TurnQueue>;

beforeAll(async () => {
  fleet = await startFleet({ apis: 0, workers: 1 }, { WORKER_ROLES: 'push,history,upkeep' });
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
}, 60_000);
afterAll(async () => {
  directory.close();
  await Promise.all(Object.values(turns).map((queue) => queue.close()));
  await redis.close();
  await db.destroy();
  await backend.stop();
  await fleet.stop();
}, 60_000);

const log = createLogger({ name: 'test', level: 'warn' });
const secrets = secretBox(FLEET_ENCRYPTION_KEY);

test('ten thousand bots with one update each: all are delivered soon, once each, and Redis stays below 100 MB', async () => {
  await insertManyBots(db, BOTS, () => backend.url);
  await reconcileBots({ db, redis, secrets, directory, turns, clock: systemClock, log });
  const bots = directory.all();
  expect(bots).toHaveLength(BOTS);
  const date = Math.floor(Date.now() / 1000);
  const raw = `{"update_id":1,\n"message":{"message_id":1,"date":${date},"chat":{"id":5,"type":"private"},"text":"hello"}}`;
  const sliced = sliceUpdates(`{"ok":true,"result":[${raw}]}`)!.updates;
  for (let from = 0; from < BOTS; from += ROWS) {
    const some = bots.slice(from, from + ROWS);
    await Promise.all(some.map((bot) => acceptUpdates({ redis, turns }, bot, sliced)));
  }
  await waitFor(() => backend.requests.length >= BOTS, { timeoutMs: 120_000, message: 'an update of every bot' });
  expect(new Set(backend.requests.map(({ url }) => url)).size).toBe(BOTS);
  expect(backend.requests).toHaveLength(BOTS);
  expect((await readServerState(redis)).used_bytes).toBeLessThan(MEMORY_LIMIT);
}, 300_000);
