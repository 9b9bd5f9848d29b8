import { z } from 'zod';
import type { SimBot } from '../bots/sim-bot.ts';
import { begin } from '../faults/enforce-flood-limits.ts';
import { type FloodLimits, METHOD_FAMILIES, PLATFORM_LIMITS } from '../faults/flood-limits.ts';
import { type FloodWait, newFloodState, waitKey } from '../faults/flood-state.ts';
import type { Simulator } from '../simulator.ts';
import { BOT } from './fields.ts';
import { botOf } from './lookups.ts';
import { operation } from './operation.ts';

const RATE = z.number().positive().optional();
const COUNT = z.int().min(1).optional();

const LIMITS = z.strictObject({
  perSecond: COUNT.describe('messages a second into all chats'),
  perChatSecond: RATE.describe('messages a second into one chat, once a burst is used up'),
  chatBurst: COUNT.describe('messages that one chat takes without a pause; 1 when not given'),
  perGroupMinute: COUNT.describe('messages a minute into one group, supergroup or channel'),
  waitGrowth: z.number().min(1).optional().describe('a call during a wait makes it so many times as long; 2'),
  longestWaitS: COUNT.describe('how long a wait grows at most, in seconds; 300'),
});

export const setLimits = operation(
  'Sets how fast bots may send before they get 429, and ends all waits',
  {
    input: z.strictObject({
      bot: BOT.optional().describe('id of a bot; the limits of all bots, in place of their own, when not given'),
      limits: z
        .union([z.literal('platform'), LIMITS, z.null()])
        .describe('platform: those of the platform; null: none (of a bot: those of all), which is how it begins'),
    }),
    example: { limits: { perSecond: 30, perChatSecond: 1, chatBurst: 10, perGroupMinute: 20 } },
  },
  (sim, { bot, limits: wanted }): void => {
    const limits = wanted === 'platform' ? PLATFORM_LIMITS : wanted;
    for (const one of botsOf(sim, bot)) one.flood = newFloodState();
    if (bot === undefined) {
      sim.floodLimits = limits;
      sim.floodLimitsByBot.clear();
    } else if (limits === null) sim.floodLimitsByBot.delete(bot);
    else sim.floodLimitsByBot.set(bot, limits);
  },
);

export const setFloodWait = operation(
  'Makes a bot wait: its calls get 429 until then, and each makes the wait longer',
  {
    input: z.strictObject({
      bot: BOT.optional().describe('id of a bot; all bots when not given'),
      chat: z.int().optional().describe('calls with this chat_id only; a private chat has the id of its person'),
      family: z.enum(METHOD_FAMILIES).optional().describe('calls of these methods only; all families when not given'),
      seconds: z.int().min(0).describe('0 ends the wait'),
    }),
    example: { seconds: 0 },
  },
  (sim, { bot, chat: id, family = null, seconds }): void => {
    const chat = id === undefined ? null : String(id);
    for (const { flood } of botsOf(sim, bot)) {
      if (seconds === 0) flood.waits.delete(waitKey(family, chat));
      else begin(flood, { family, chat }, seconds * 1_000, sim.clock.nowMs());
    }
  },
);

export type ShownWait = Pick<FloodWait, 'family'> & { chat: number | null; secondsLeft: number };

export const readLimits = operation(
  'Shows the limits of a bot, how many calls were refused since they were set, and its waits',
  { input: z.strictObject({ bot: BOT }), example: { bot: 1_000_000_001 } },
  (
    sim,
    input,
  ): { limits: FloodLimits | null; refused: number; refusedByMethod: Record<string, number>; waits: ShownWait[] } => {
    const { flood } = botOf(sim, input.bot);
    const nowMs = sim.clock.nowMs();
    return {
      limits: sim.floodLimitsByBot.get(input.bot) ?? sim.floodLimits,
      refused: flood.refused,
      refusedByMethod: Object.fromEntries(flood.refusedByMethod),
      waits: [...flood.waits.values()]
        .filter(({ untilMs }) => untilMs > nowMs)
        .map(({ family, chat, untilMs }) => ({
          family,
          chat: chat === null ? null : Number(chat),
          secondsLeft: Math.ceil((untilMs - nowMs) / 1_000),
        })),
    };
  },
);

function botsOf(sim: Simulator, bot: number | undefined): SimBot[] {
  return bot === undefined ? [...sim.bots.values()] : [botOf(sim, bot)];
}
