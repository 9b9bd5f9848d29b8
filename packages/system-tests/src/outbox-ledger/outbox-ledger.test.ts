import { setTimeout as delay } from 'node:timers/promises';
import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { countStates, faultsOf, runLedger } from './outbox-ledger.ts';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await startFleet({ apis: 2, workers: 2 });
}, 60_000);
afterAll(() => fleet?.stop(), 60_000);

test('of 400 entries none is lost, doubled or out of order while workers are killed and the platform fails', async () => {
  const load = { bots: 4, chats: 20, ofEach: 5, seed: 7 };
  const lines = await runLedger(fleet, load, async (bots) => {
    for (const effect of [
      { kind: 'status', status: 429, retryAfterS: 1 },
      { kind: 'status', status: 500 },
      { kind: 'lose-answer' },
      { kind: 'reset' },
    ] as const) {
      for (const { platformId: bot } of bots) {
        await fleet.control.setFault({ bot, method: 'sendMessage', count: 2, effect });
      }
      await delay(500);
      await fleet.workers.shift()?.kill();
      await fleet.start('worker');
    }
  });
  expect(lines).toHaveLength(400);
  expect(faultsOf(lines)).toEqual([]);
  const { sent = 0, in_doubt: doubtful = 0 } = countStates(lines);
  expect(sent + doubtful).toBe(400);
  // Each lost answer or cut connection leaves one in doubt, and each kill those whose request had just begun.
  expect(doubtful).toBeGreaterThan(0);
  expect(doubtful).toBeLessThan(60);
}, 240_000);
