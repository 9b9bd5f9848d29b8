import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { paceKeys } from '@flotilla/redis/keys.ts';
import { runScript } from '@flotilla/redis/scripts.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';

type PaceDeps = { redis: RedisHandles; clock: Clock };

/**
 * The platform's limits (https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this): one message
 * a second to a chat, twenty a minute to a group, thirty a second in all. We send a little slower, because messages
 * that are sent evenly need not arrive evenly.
 */
const TO_A_CHAT = { spacingMs: 1050, most: 20, windowMs: 0 };
const TO_A_GROUP = { spacingMs: 1050, most: 20, windowMs: 61_000 };
const BY_A_BOT = { spacingMs: 0, most: 30, windowMs: 1050 };

/**
 * Reserves, over all processes, the time (ms) at which a bot may send so many messages to a chat. A time that was
 * reserved before is kept, unless the platform asked for a later one since.
 */
export function reserveForChat(
  deps: PaceDeps,
  botId: number,
  chatId: number,
  wanted: { messages: number; reservedMs: number | undefined },
): Promise<number> {
  const keys = paceKeys(botId);
  const limits = chatId < 0 ? TO_A_GROUP : TO_A_CHAT;
  return reserve(deps, [keys.chat(chatId), keys.blocked(chatId)], limits, wanted);
}

/** The same for all messages of a bot. Call it just before sending. */
export function reserveForBot(deps: PaceDeps, botId: number, messages: number): Promise<number> {
  const keys = paceKeys(botId);
  return reserve(deps, [keys.bot, keys.blocked('all')], BY_A_BOT, { messages, reservedMs: undefined });
}

/** Remembers that the platform takes nothing from this bot for this chat until then (Unix ms). */
export async function keepQuiet(deps: PaceDeps, botId: number, chatId: number, untilMs: number): Promise<void> {
  const lifeMs = Math.max(1, untilMs - deps.clock.nowMs());
  await deps.redis.commands.set(paceKeys(botId).blocked(chatId), untilMs, 'PX', lifeMs);
}

async function reserve(
  deps: PaceDeps,
  keys: [string, string],
  limits: { spacingMs: number; most: number; windowMs: number },
  wanted: { messages: number; reservedMs: number | undefined },
): Promise<number> {
  const at: unknown = await runScript(deps.redis.commands, 'reserve-slot', keys, [
    deps.clock.nowMs(),
    wanted.messages,
    limits.spacingMs,
    limits.most,
    limits.windowMs,
    wanted.reservedMs ?? '',
  ]);
  return Number(at);
}
