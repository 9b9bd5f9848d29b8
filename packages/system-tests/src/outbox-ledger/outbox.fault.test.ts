import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { readSettings } from '@flotilla/runtime/env.ts';
import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { type OwnPostgres, startOwnPostgres } from '@flotilla/testing/own-postgres.ts';
import { seededRandom } from '@flotilla/testing/random.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { countStates, faultsOf, runLedger } from './outbox-ledger.ts';

/** The seed of an earlier run, to repeat its faults. */
const settings = readSettings(z.object({ FAULT_SEED: z.coerce.number().int().optional() }));
const SEED = settings.FAULT_SEED ?? randomInt(2 ** 32);
const ROUNDS = 12;
const ROUND_MS = 4_000;

let postgres: OwnPostgres;
let redis: TestRedis;
let fleet: Fleet;

beforeAll(async () => {
  [postgres, redis] = [await startOwnPostgres(), await startTestRedis()];
  fleet = await startFleet({ apis: 2, workers: 3 }, {}, postgres, redis);
}, 90_000);
afterAll(async () => {
  await fleet?.stop();
  await redis?.stop();
  await postgres?.drop();
}, 60_000);

test(`5,000 entries of 20 bots end in a state that is true, whatever dies meanwhile (FAULT_SEED=${SEED})`, async () => {
  const random = seededRandom(SEED);
  const replace = async (role: 'api' | 'worker') => {
    const processes = role === 'api' ? fleet.apis : fleet.workers;
    const [process] = processes.splice(Math.floor(random.between(0, processes.length)), 1);
    await process?.kill();
    await fleet.start(role);
  };
  const faults = [
    () => replace('worker'),
    () => replace('worker'),
    () => replace('api'),
    async () => {
      redis.kill();
      await delay(random.between(500, 4_000));
      await redis.restart();
    },
    async () => {
      await postgres.kill();
      await delay(random.between(500, 4_000));
      await postgres.restart();
    },
  ];
  const lines = await runLedger(fleet, { bots: 20, chats: 25, ofEach: 10, seed: SEED }, async (bots) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const { platformId: bot } of bots) {
        const effect = random.oneOf([
          { kind: 'status', status: 429, retryAfterS: 2 },
          { kind: 'status', status: 500 },
          { kind: 'lose-answer' },
          { kind: 'reset' },
        ] as const);
        await fleet.control.setFault({ bot, method: 'sendMessage', count: 1, effect });
      }
      await Promise.all([random.oneOf(faults)(), delay(ROUND_MS)]);
    }
    await fleet.control.clearFaults({});
  });
  expect(lines).toHaveLength(5_000);
  expect(faultsOf(lines)).toEqual([]);
  const { sent = 0, in_doubt: doubtful = 0 } = countStates(lines);
  expect(sent + doubtful).toBe(5_000);
  expect(doubtful).toBeLessThan(1_000);
}, 600_000);
