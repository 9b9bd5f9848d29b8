import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, SHARDS, shardKeys } from '@flotilla/redis/keys.ts';
import type { KeyCommand } from '@flotilla/redis/redis-commands.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import { serverNowMs } from '@flotilla/redis/server-now.ts';
import type { Bot } from '../../fleet/bots/bot.ts';

type ChatOfBot = { botId: number; chatId: number };

/** A chat that a person has taken over, as Redis has it. */
export type HeldChat = {
  /** In the past: it ended by itself, and what was missed is kept for another day. */
  untilMs: number;
  isHeld: boolean;
  /** How long it lasts from each answer of a person on. */
  forMs: number;
  sinceMs: number;
  /** 'account:<username>', 'rule:<id>' or 'owner'. */
  by: string;
  /** How many updates are kept to be delivered when it is released. */
  missed: number;
};

/** `began`: it was not held before. */
export type HoldReply = { outcome: 'held'; began: boolean; forMs: number } | { outcome: 'gone' | 'off' | 'free' };

/** Holds a chat, or what comes in it through one business connection; or makes its time begin anew. Known to every process at once, because accepting asks Redis itself. */
export function holdInRedis(
  { redis }: { redis: RedisHandles },
  bot: Bot,
  chatId: number,
  { forMs, by, connection = '' }: { forMs: number | null; by: string; connection?: string },
): Promise<HoldReply> {
  return scripts
    .holdChat(redis.commands, botKeys(bot.id), {
      registrationId: bot.registrationId,
      botId: bot.id,
      chatId,
      forMs,
      by,
      connection,
    })
    .then((reply): HoldReply => {
      switch (reply.outcome) {
        case 'GONE':
          return { outcome: 'gone' };
        case 'OFF':
          return { outcome: 'off' };
        case 'FREE':
          return { outcome: 'free' };
        case 'OK':
          return { outcome: 'held', began: reply.began, forMs: reply.forMs };
      }
    });
}

/** An answer of a person: the chat is held for as long again, if it is held. */
export async function renewHold(deps: { redis: RedisHandles }, bot: Bot, chatId: number): Promise<void> {
  await holdInRedis(deps, bot, chatId, { forMs: null, by: '' });
}

/** A group that became a supergroup stays held, under its new id, for the time that is left. */
export async function moveHold(
  { redis }: { redis: RedisHandles },
  bot: Bot,
  { fromChatId, toChatId }: { fromChatId: number; toChatId: number },
): Promise<void> {
  const { registrationId, id: botId } = bot;
  await scripts.moveHold(redis.commands, botKeys(botId), { registrationId, botId, fromChatId, toChatId });
}

/** Those of the chats that are held now, by `heldKey`. */
export async function readHeldChats(
  deps: { redis: RedisHandles },
  chats: readonly ChatOfBot[],
): Promise<Map<string, HeldChat>> {
  return new Map([...(await readHolds(deps, chats))].filter(([, { isHeld }]) => isHeld));
}

/** The same, and those whose hold ended by itself less than a day ago while their bot missed something. */
export async function readHolds(
  { redis }: { redis: RedisHandles },
  chats: readonly ChatOfBot[],
): Promise<Map<string, HeldChat>> {
  if (chats.length === 0) return new Map();
  const looks = chats.map(({ botId, chatId }): KeyCommand => ['hget', botKeys(botId).holds, String(chatId)]);
  const [stored, nowMs] = await Promise.all([redis.runMany(looks), serverNowMs(redis)]);
  const found = chats.flatMap((chat, at) => {
    const [, until = '', length = '', since = '', by = ''] = HOLD.exec(String(stored[at] ?? '')) ?? [];
    const [untilMs, forMs, sinceMs] = [Number(until), Number(length), Number(since)];
    const isHeld = untilMs > nowMs;
    return untilMs + MISSED_LIFE_MS > nowMs ? [{ chat, untilMs, isHeld, forMs, sinceMs, by }] : [];
  });
  const counts = await redis.runMany(
    found.map(
      ({ chat: { botId, chatId } }): KeyCommand => ['zlexcount', botKeys(botId).missed, ...missedRange(chatId)],
    ),
  );
  const counted = found.map(
    ({ chat, ...hold }, at) => [heldKey(chat), { ...hold, missed: Number(counts[at]) }] as const,
  );
  return new Map(counted.filter(([, { isHeld, missed }]) => isHeld || missed > 0));
}

/** All chats that are held now; with `by`, those that this one holds. Rejects when Redis is away. */
export async function findHeldChats({ redis }: { redis: RedisHandles }, by?: string): Promise<ChatOfBot[]> {
  const nowMs = await serverNowMs(redis);
  const shards = Array.from({ length: SHARDS }, (_, shard) => shardKeys(shard).heldChats);
  const listed = await redis.runMany(shards.map((key): KeyCommand => ['zrange', key, nowMs, '+inf', 'byscore']));
  const chats = (listed as string[][]).flat().map((member) => {
    const [botId, chatId] = member.split(':').map(Number) as [number, number];
    return { botId, chatId };
  });
  if (by === undefined) return chats;
  const held = await readHeldChats({ redis }, chats);
  return chats.filter((chat) => held.get(heldKey(chat))?.by === by);
}

export function heldKey({ botId, chatId }: ChatOfBot): string {
  return `${botId} ${chatId}`;
}

/** How long what was missed can be delivered after its hold ended by itself; lib/hold.lua has it, too. */
export const MISSED_LIFE_MS = 86_400_000;

/** As lib/hold.lua writes it. */
const HOLD = /^(\d+) (\d+) (\d+) \S* (.*)$/s;

/** The texts of a chat in the sorted set of what was missed, as lib/hold.lua orders them. */
function missedRange(chatId: number): [string, string] {
  return [`[${chatId}|`, `(${chatId}}`];
}
