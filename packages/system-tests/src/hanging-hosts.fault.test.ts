import { createServer, type Server, type Socket } from 'node:net';
import { connectDatabase, type Database } from '@flotilla/database/connect.ts';
import { acceptUpdates } from '@flotilla/domain/delivery/intake/accept-updates.ts';
import { followDirectory } from '@flotilla/domain/fleet/bots/follow-directory.ts';
import { reconcileBots } from '@flotilla/domain/fleet/bots/reconcile-bots.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
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

/** Each host is a different address: a worker limits its requests by host. */
const HOSTS = 4;
const BOTS_OF_A_HOST = 1_200;
const HEALTHY = 100;
const ROWS = 400;
/** A request to a hanging backend ends after 60 s; the healthy bots must not wait for that, let alone for one after the other. */
const SOON_MS = 55_000;

const log = createLogger({ name: 'test', level: 'warn' });
const secrets = secretBox(FLEET_ENCRYPTION_KEY);

let fleet: Fleet;
let healthy: TestBackend;
let hanging: Server;
const sockets = new Set<Socket>();
let asked = 0;
let db: Database;
let redis: RedisHandles;
let directory: Awaited<ReturnType<typeof followDirectory>>;
let turns: Record<'push' | 'programs' | 'rules' | 'history', TurnQueue>;

beforeAll(async () => {
  fleet = await startFleet({ apis: 0, workers: 1 }, { WORKER_ROLES: 'push,upkeep' });
  healthy = await startBackend();
  hanging = createServer((socket) => {
    sockets.add(socket);
    socket.once('data', () => {
      asked += 1;
    });
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => hanging.listen(0, '0.0.0.0', resolve));
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
  for (const socket of sockets) socket.destroy();
  hanging.close();
  directory.close();
  await Promise.all(Object.values(turns).map((queue) => queue.close()));
  await redis.close();
  await db.destroy();
  await healthy.stop();
  await fleet.stop();
}, 60_000);

test('four hosts that hang, with more bots than a worker has turns for, hold up no bot of a healthy host', async () => {
  const { port } = hanging.address() as { port: number };
  const all = HOSTS * BOTS_OF_A_HOST + HEALTHY;
  await insertManyBots(db, all, (at) =>
    at <= HEALTHY ? healthy.url : `http://127.0.0.${2 + (at % HOSTS)}:${port}/${at}`,
  );
  await reconcileBots({ db, redis, secrets, directory, turns, clock: systemClock, log });
  const bots = directory.all();
  expect(bots).toHaveLength(all);
  const isHealthy = (bot: (typeof bots)[number]) => bot.backend_url.startsWith(healthy.url);
  const date = Math.floor(Date.now() / 1000);
  const raw = `{"update_id":1,\n"message":{"message_id":1,"date":${date},"chat":{"id":5,"type":"private"},"text":"hello"}}`;
  const sliced = sliceUpdates(`{"ok":true,"result":[${raw}]}`)!.updates;
  const accept = async (some: typeof bots) => {
    for (let from = 0; from < some.length; from += ROWS) {
      const part = some.slice(from, from + ROWS);
      await Promise.all(part.map((bot) => acceptUpdates({ redis, turns }, bot, sliced)));
    }
  };
  await accept(bots.filter((bot) => !isHealthy(bot)));
  await waitFor(() => asked > 900, { timeoutMs: 55_000, message: 'requests that hang' });
  await accept(bots.filter(isHealthy));
  await waitFor(() => healthy.requests.length >= HEALTHY, {
    timeoutMs: SOON_MS,
    message: 'an update of each healthy bot',
  });
  expect(healthy.requests).toHaveLength(HEALTHY);
}, 240_000);
