import { paceKeys } from '@flotilla/redis/call-keys.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { TIMES_KEPT } from '../../records/history/stream/note-sends.ts';
import type { Candidate } from './lanes.ts';

/** Of a reserved time, or of the limit that allows none soon: how long (ms) it is until then. */
export type Granted = { limit: 'none' | 'chat' | 'bot'; waitMs: number };

/** Messages that are sent evenly need not arrive evenly. */
const WINDOW_MS = 1020;
/** Several processes send them, of which none sees how the others' arrive. */
const PROGRAM_WINDOW_MS = 1035;
/** Until it asks again. */
const OUTBOX_WAITS_MS = 1_000;
const CHAT_WINDOW_MS = 1050;
const GROUP_WINDOW_MS = 61_000;
/** The share that bulk leaves to the others, so that they need not wait for it. */
const BULK_SHARE = 4 / 5;
/** Times are reserved this far ahead. What comes meanwhile and is more urgent than bulk waits for no more than the second. */
export const HORIZON_MS = { live: 120, bulk: 80 };

/**
 * Reserves a time of the bot for a message of a program that sends so many a second, however many it may send to the chat. If the bot
 * has none soon: how long (ms) it is until there may be one.
 */
export async function reserveForProgram(
  { redis }: { redis: RedisHandles },
  bot: Bot,
  perSecond: number,
): Promise<{ reserved: boolean; waitMs: number }> {
  const { bot: times, outboxWaits } = paceKeys(bot.id);
  const { reserved, waitMs } = await scripts.reserveProgramTime(
    redis.commands,
    { bot: times, outboxWaits },
    {
      ...{ most: perSecond, windowMs: PROGRAM_WINDOW_MS, mostOfOutbox: bot.pace.per_second },
      ...{ horizonMs: HORIZON_MS.live, kept: TIMES_KEPT.ofBot },
    },
  );
  return { reserved, waitMs: Math.ceil(waitMs) };
}

/** Reserves times for sends, in their order, over all processes; what rules and programs send is counted. */
export async function reserveSends(
  { redis }: { redis: RedisHandles },
  bot: Bot,
  candidates: readonly Candidate[],
): Promise<Granted[]> {
  const keys = paceKeys(bot.id);
  const { per_second, per_chat_second, per_group_minute } = bot.pace;
  const reply = await scripts.reserveSends(
    redis.commands,
    { bot: keys.bot, outboxWaits: keys.outboxWaits },
    {
      ...{ chatPrefix: keys.chatPrefix, horizonMs: HORIZON_MS.live, bulkHorizonMs: HORIZON_MS.bulk },
      ...{ spacingMs: WINDOW_MS / per_second, most: per_second, windowMs: WINDOW_MS },
      bulkMost: Math.max(1, Math.floor(per_second * BULK_SHARE)),
      ...{
        chatSpacingMs: CHAT_WINDOW_MS / per_chat_second,
        groupMost: per_group_minute,
        groupWindowMs: GROUP_WINDOW_MS,
      },
      waitsMs: OUTBOX_WAITS_MS,
      ...{ kept: TIMES_KEPT.ofBot, keptOfChat: TIMES_KEPT.ofChat },
      sends: candidates.map(({ lane, entry }) => ({
        ...{ chatId: lane.chat_id, messages: entry.messages, bulk: lane.priority === 'bulk' },
      })),
    },
  );
  return reply.rows;
}
