import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { readSettings } from '@flotilla/runtime/env.ts';
import {
  DEAD_LINES,
  type FaultyFront,
  type FrontFault,
  LOSING,
  startFaultyFront,
  TURNING_AWAY,
} from '@flotilla/testing/faulty-front.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { seededRandom } from '@flotilla/testing/random.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { countStates, type Line, runLedger, stateFaults } from './outbox-ledger.ts';

/** The seed of an earlier run, to repeat its faults. */
const settings = readSettings(z.object({ FAULT_SEED: z.coerce.number().int().optional() }));
const SEED = settings.FAULT_SEED ?? randomInt(2 ** 32);
const LOAD = { bots: 3, chats: 12, ofEach: 25, seed: SEED };
const ROUNDS = 10;
/** Until a worker that stands still has lost its turn. */
const PAUSE_MS = 25_000;
/** A connection that is cut is noticed, and noted, within this time. */
const CUT_WITHIN_MS = 1_000;
/** What is on its way to a bot's chats when the platform falls silent, and the tries after that. */
const HANDFUL = 15;

let front: FaultyFront;
let fleet: Fleet;

beforeAll(async () => {
  front = await startFaultyFront(() => fleet.simulator.url);
  const environment = { TELEGRAM_API_URL: front.url, NODE_EXTRA_CA_CERTS: front.caFile };
  fleet = await startFleet({ apis: 1, workers: 2 }, environment);
}, 90_000);
afterAll(async () => {
  await fleet?.stop();
  await front?.stop();
}, 60_000);

test(`what was sent was sent once, and only what may have been sent is in doubt (FAULT_SEED=${SEED})`, async () => {
  const random = seededRandom(SEED);
  const losing: FrontFault[] = [];
  const fail = async (fault: FrontFault, forMs: number) => {
    if ((LOSING as readonly string[]).includes(fault)) losing.push(fault);
    await front.turn(fault);
    await delay(forMs);
    await front.turn(null);
    await delay(random.between(500, 2_000));
  };
  const lines = await runLedger(fleet, LOAD, async (bots) => {
    await delay(2_000);
    await front.turn('reset-handshake');
    await toldOf(bots, 'platform.unreachable');
    const wrong = await fleet.rest<object[]>('/api/attention?kinds=platform_unreachable');
    expect(wrong).toHaveLength(bots.length);
    await front.turn(null);
    await toldOf(bots, 'platform.reached');
    const pausing = pauseWorker(random.oneOf([0, 1]));
    for (let round = 0; round < ROUNDS; round += 1) {
      const fault = random.oneOf([random.oneOf(DEAD_LINES), random.oneOf(TURNING_AWAY), random.oneOf(LOSING)]);
      await fail(fault, random.between(2_000, 6_000));
    }
    await pausing;
  });
  expect(lines).toHaveLength(LOAD.bots * LOAD.chats * LOAD.ofEach);
  expect(lines.flatMap(stateFaults)).toEqual([]);
  expect(lines.flatMap(doubtFaults)).toEqual([]);
  const { sent = 0, in_doubt: doubtful = 0 } = countStates(lines);
  expect(sent + doubtful).toBe(lines.length);
  // Cutting the lines also loses what is on its way.
  expect(doubtful).toBeLessThanOrEqual(LOAD.bots * HANDFUL * (ROUNDS + 1));
}, 360_000);

async function toldOf(bots: readonly FleetBot[], kind: string): Promise<void> {
  for (const { id } of bots) {
    const told = () => fleet.rest<object[]>(`/api/events?bot_id=${id}&kinds=${kind}`);
    await waitFor(async () => (await told()).length > 0, { timeoutMs: 90_000, message: `the event ${kind}` });
  }
}

/** It stands still for longer than its turn, and learns afterwards what became of what it had begun. */
async function pauseWorker(at: number): Promise<void> {
  const { pid } = fleet.workers[at]!;
  process.kill(pid, 'SIGSTOP');
  await delay(PAUSE_MS);
  process.kill(pid, 'SIGCONT');
}

/** What is in doubt must have got to the platform's side, or have been cut off on its way; what was not sent must say why. */
function doubtFaults({ entry }: Line): string[] {
  const { id, state, error = '', params, settled_at: settledAt = '' } = entry;
  const isCut = front.cutsAtMs.some((atMs) => Math.abs(Date.parse(settledAt) - atMs) < CUT_WITHIN_MS);
  if (state === 'in_doubt' && front.mayBeDone(String(params.text)) === 0 && !isCut) {
    return [`entry ${id} is in doubt, and its request never came: ${error}`];
  }
  return state !== 'sent' && error === '' ? [`entry ${id} is ${state}, and does not say why`] : [];
}
