import { paceKeys } from '@flotilla/redis/call-keys.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import { TIMES_KEPT } from '../../records/history/stream/note-sends.ts';

type PaceDeps = { redis: RedisHandles };

/**
 * The platform's limits (https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this): one message
 * a second to a chat, twenty a minute to a group, thirty a second in all. We send a little slower, because messages
 * that are sent evenly need not arrive evenly.
 */
const TO_A_CHAT = { spacingMs: 1050, most: 20, windowMs: 0, kept: TIMES_KEPT.ofChat };
const TO_A_GROUP = { ...TO_A_CHAT, windowMs: 61_000 };
const BY_A_BOT = { spacingMs: 0, most: 30, windowMs: 1050, kept: TIMES_KEPT.ofBot };

/**
 * A time that was reserved. `atMs` is of Redis' clock, which all processes share: it is only for reserving again. `waitMs` is how long
 * it was until then.
 */
export type ReservedTime = { atMs: number; waitMs: number };

/**
 * Reserves, over all processes, the time at which a bot may send so many messages to a chat. A time that was reserved
 * before is kept.
 */
export function reserveForChat(
  deps: PaceDeps,
  botId: number,
  chatId: number,
  wanted: { messages: number; reservedMs: number | undefined },
): Promise<ReservedTime> {
  const keys = paceKeys(botId);
  const limits = chatId < 0 ? TO_A_GROUP : TO_A_CHAT;
  return reserve(deps, { times: keys.chat(chatId) }, limits, wanted);
}

/** The same for all messages of a bot. Call it just before sending. */
export function reserveForBot(deps: PaceDeps, botId: number, messages: number): Promise<ReservedTime> {
  return reserve(deps, { times: paceKeys(botId).bot }, BY_A_BOT, { messages, reservedMs: undefined });
}

function reserve(
  deps: PaceDeps,
  keys: { times: string },
  limits: { spacingMs: number; most: number; windowMs: number; kept: number },
  wanted: { messages: number; reservedMs: number | undefined },
): Promise<ReservedTime> {
  const { messages, reservedMs = null } = wanted;
  return scripts.reserveSendTime(deps.redis.commands, keys, { ...limits, count: messages, reservedMs });
}
