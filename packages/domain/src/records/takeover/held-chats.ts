import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, SHARDS, shardKeys } from '@flotilla/redis/keys.ts';
import type { KeyCommand } from '@flotilla/redis/redis-commands.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import { serverNowMs } from '@flotilla/redis/server-now.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { registrationOf } from '../../fleet/bots/registration.ts';
import type { Conversation } from '../chats/conversation.ts';

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

/** A conversation of a bot. */
export type InChat = Omit<Conversation, 'bot_id'>;

/** Holds a conversation, or makes its time begin anew. Known to every process at once, because accepting asks Redis itself. */
export function holdInRedis(
  { redis }: { redis: RedisHandles },
  bot: Bot,
  held: InChat,
  { forMs, by }: { forMs: number | null; by: string },
): Promise<HoldReply> {
  return scripts
    .holdChat(redis.commands, botKeys(bot.id), {
      ...registrationOf(bot),
      conversation: heldAs(held),
      forMs,
      by,
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

/** An answer of a person: the conversation is held for as long again, if it is held. */
export async function renewHold(deps: { redis: RedisHandles }, bot: Bot, answered: InChat): Promise<void> {
  await holdInRedis(deps, bot, answered, { forMs: null, by: '' });
}

/** A group that became a supergroup stays held, under its new id, for the time that is left. */
export async function moveHold(
  { redis }: { redis: RedisHandles },
  bot: Bot,
  { fromChatId, toChatId }: { fromChatId: number; toChatId: number },
): Promise<void> {
  await scripts.moveHold(redis.commands, botKeys(bot.id), {
    ...registrationOf(bot),
    fromChatId,
    toChatId,
  });
}

/** The conversations of a chat that are held, or whose hold ended while something is still kept. Rejects when Redis is away. */
export async function findHoldsOf({ redis }: { redis: RedisHandles }, bot: Bot, chat_id: number): Promise<InChat[]> {
  return (await redis.commands.hkeys(botKeys(bot.id).holds))
    .filter((held) => held === `${chat_id}` || held.startsWith(`${chat_id}:`))
    .map((held) => ({ chat_id, business_connection_id: held.slice(`${chat_id}:`.length) }));
}

/** Ends the holds of all conversations of a chat that was removed, and forgets what they hold back. Returns those that it ended. */
export async function endHolds(deps: { redis: RedisHandles }, bot: Bot, chatId: number): Promise<InChat[]> {
  const ended: InChat[] = [];
  for (const held of await findHoldsOf(deps, bot, chatId)) {
    const { outcome } = await scripts.releaseChat(deps.redis.commands, botKeys(bot.id), {
      ...{
        ...registrationOf(bot),
        conversation: heldAs(held),
        delivers: false,
        limit: 0,
        reservedId: null,
      },
      ...{ filtersDigest: '', marksJson: '', updates: [] },
    });
    if (outcome === 'OK') ended.push(held);
  }
  return ended;
}

/** Those of the conversations that are held now, by `heldKey`. */
async function readHeldChats(
  deps: { redis: RedisHandles },
  chats: readonly Conversation[],
): Promise<Map<string, HeldChat>> {
  return new Map([...(await readHolds(deps, chats))].filter(([, { isHeld }]) => isHeld));
}

/** The same, and those whose hold ended by itself less than a day ago while their bot missed something. */
export async function readHolds(
  { redis }: { redis: RedisHandles },
  chats: readonly Conversation[],
): Promise<Map<string, HeldChat>> {
  if (chats.length === 0) return new Map();
  const looks = chats.map((chat): KeyCommand => ['hget', botKeys(chat.bot_id).holds, heldAs(chat)]);
  const [stored, nowMs] = await Promise.all([redis.runMany(looks), serverNowMs(redis)]);
  const found = chats.flatMap((chat, at) => {
    const [, until = '', length = '', since = '', by = ''] = HOLD.exec(String(stored[at] ?? '')) ?? [];
    const [untilMs, forMs, sinceMs] = [Number(until), Number(length), Number(since)];
    const isHeld = untilMs > nowMs;
    return untilMs + MISSED_LIFE_MS > nowMs ? [{ chat, untilMs, isHeld, forMs, sinceMs, by }] : [];
  });
  const counts = await redis.runMany(
    found.map(({ chat }): KeyCommand => ['zlexcount', botKeys(chat.bot_id).missed, ...missedRange(heldAs(chat))]),
  );
  const counted = found.map(
    ({ chat, ...hold }, at) => [heldKey(chat), { ...hold, missed: Number(counts[at]) }] as const,
  );
  return new Map(counted.filter(([, { isHeld, missed }]) => isHeld || missed > 0));
}

/** True if a conversation is held now, also when its group became a supergroup. Rejects when Redis is away. */
export async function isHeldNow({ redis }: { redis: RedisHandles }, botId: number, chat: InChat): Promise<boolean> {
  const { holds } = botKeys(botId);
  const stored = (await redis.commands.hget(holds, heldAs(chat))) ?? '';
  const [, supergroup] = LEADS_ON.exec(stored) ?? [];
  const hold = supergroup === undefined ? stored : ((await redis.commands.hget(holds, supergroup)) ?? '');
  const [, until] = HOLD.exec(hold) ?? [];
  return until !== undefined && Number(until) > (await serverNowMs(redis));
}

/** All conversations that are held now; with `by`, those that this one holds. Rejects when Redis is away. */
export async function findHeldChats({ redis }: { redis: RedisHandles }, by?: string): Promise<Conversation[]> {
  const nowMs = await serverNowMs(redis);
  const shards = Array.from({ length: SHARDS }, (_, shard) => shardKeys(shard).heldChats);
  const listed = await redis.runMany(shards.map((key): KeyCommand => ['zrange', key, nowMs, '+inf', 'byscore']));
  const chats = (listed as string[][]).flat().map((member) => {
    const [, bot_id, chat_id, connection = ''] = /^(\d+):(-?\d+)(?::(.*))?$/s.exec(member) ?? [];
    return { bot_id: Number(bot_id), chat_id: Number(chat_id), business_connection_id: connection };
  });
  if (by === undefined) return chats;
  const held = await readHeldChats({ redis }, chats);
  return chats.filter((chat) => held.get(heldKey(chat))?.by === by);
}

export function heldKey(conversation: Conversation): string {
  return `${conversation.bot_id} ${heldAs(conversation)}`;
}

/** The name under which Redis holds a conversation of a bot. */
export function heldAs({ chat_id, business_connection_id: of }: InChat): string {
  return of === '' ? String(chat_id) : `${chat_id}:${of}`;
}

/** How long what was missed can be delivered after its hold ended by itself; lib/hold.lua has it, too. */
export const MISSED_LIFE_MS = 86_400_000;

/** The form that lib/hold.lua writes. */
const HOLD = /^(\d+) (\d+) (\d+) \S* (.*)$/s;
/** In place of a hold: the group is this supergroup now. */
const LEADS_ON = /^>(-\d+)$/;

/** The texts of a conversation in the sorted set of what was missed, as lib/hold.lua orders them. */
function missedRange(held: string): [string, string] {
  return [`[${held}|`, `(${held}}`];
}
