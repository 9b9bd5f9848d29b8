import { z } from 'zod';
import type { Fault } from '../faults/fault.ts';
import { BOT } from './fields.ts';
import { operation } from './operation.ts';

const EFFECT = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('status'),
    status: z.int().min(100).max(599),
    body: z.string().optional(),
    description: z.string().optional(),
    retryAfterS: z.int().optional(),
    contentType: z.string().optional(),
  }),
  z.strictObject({ kind: z.literal('hang') }),
  z.strictObject({ kind: z.literal('reset') }),
  z.strictObject({ kind: z.literal('delay'), delayMs: z.number().min(0) }),
  z.strictObject({ kind: z.literal('lose-answer') }),
]);

export const setFault = operation(
  'Makes calls fail: of one bot or all, of one method or all, the next so many or until cleared',
  {
    input: z.strictObject({
      bot: BOT.optional().describe('id of a bot; calls of all bots when not given'),
      method: z.string().optional().describe('calls of all methods when not given'),
      count: z.int().min(1).optional().describe('how many calls; until clearFaults when not given'),
      effect: EFFECT.describe('status answers with it, lose-answer carries the call out and then cuts the connection'),
    }),
    example: { bot: 1_000_000_001, method: 'sendMessage', count: 1, effect: { kind: 'status', status: 502 } },
  },
  (sim, input): { faultId: number } => {
    const id = (sim.faults.at(-1)?.id ?? 0) + 1;
    sim.faults.push({
      id,
      botId: input.bot ?? null,
      method: input.method?.toLowerCase() ?? null,
      effect: input.effect,
      left: input.count ?? Number.MAX_SAFE_INTEGER,
      hits: 0,
    });
    return { faultId: id };
  },
);

export const listFaults = operation(
  'Lists the faults that are set',
  { input: z.strictObject({}), example: {} },
  (sim): Fault[] => sim.faults,
);

export const clearFaults = operation(
  'Removes one fault, or all of them',
  {
    input: z.strictObject({ faultId: z.int().optional().describe('as setFault answered; all when not given') }),
    example: {},
  },
  (sim, input): void => {
    sim.faults = input.faultId === undefined ? [] : sim.faults.filter(({ id }) => id !== input.faultId);
  },
);

export const advanceClock = operation(
  'Moves the simulated time forward: updates expire, and webhook retries come due',
  { input: z.strictObject({ ms: z.number().min(0).describe('milliseconds') }), example: { ms: 1_000 } },
  (sim, input): { nowMs: number } => {
    sim.clock.advance(input.ms);
    sim.storage.saveCounters();
    return { nowMs: sim.clock.nowMs() };
  },
);

export const setLogOutWait = operation(
  'Sets how long bots that log out may not come back to this server, also for those that wait now',
  { input: z.strictObject({ seconds: z.number().min(0).describe('0: they may at once') }), example: { seconds: 600 } },
  (sim, input): void => {
    const waitMs = input.seconds * 1_000;
    const untilMs = sim.clock.nowMs() + waitMs;
    sim.settings.loggedOutMs = waitMs;
    const { refusedUntilMs } = sim.server;
    for (const [bot, atMs] of refusedUntilMs) refusedUntilMs.set(bot, Math.min(atMs, untilMs));
  },
);

export const setLocalMode = operation(
  'Switches between the rules for webhooks of the cloud and of a --local server',
  { input: z.strictObject({ localMode: z.boolean().describe('false: the cloud') }), example: { localMode: true } },
  (sim, input): void => {
    sim.settings.localMode = input.localMode;
  },
);
