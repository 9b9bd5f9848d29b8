import { tooManyRequests } from '../bot-api-error.ts';
import { lookUp } from '../chats/find-chat.ts';
import { json, text } from '../http/params.ts';
import type { Call } from '../methods/call.ts';
import { type FloodLimits, familyOf, type MethodFamily, PLATFORM_LIMITS } from './flood-limits.ts';
import { type FloodState, type FloodWait, forgetOld, waitKey } from './flood-state.ts';

type Counted = { family: MethodFamily; chat: string | null; isGroup: boolean; messages: number };

/** Throws 429 when a bot sends faster than its limits, or calls while it has to wait. */
export function enforceFloodLimits(call: Call, method: string): void {
  const { sim, bot } = call;
  const limits = sim.floodLimitsByBot.get(bot.user.id) ?? sim.floodLimits;
  const counted = limits === null && bot.flood.waits.size === 0 ? null : countedCall(call, method);
  if (counted === null) return;
  const nowMs = sim.clock.nowMs();
  const waitMs = knock(bot.flood, counted, limits ?? {}, nowMs) ?? spend(bot.flood, counted, limits ?? {}, nowMs);
  if (waitMs === null) return;
  bot.flood.refused += 1;
  bot.flood.refusedByMethod.set(method, (bot.flood.refusedByMethod.get(method) ?? 0) + 1);
  throw tooManyRequests(Math.max(1, Math.ceil(waitMs / 1000)));
}

/** null for what no limit counts: other methods, and chats that the bot does not know. */
function countedCall({ sim, bot, params }: Call, method: string): Counted | null {
  const family = familyOf(method);
  if (family === null) return null;
  const wanted = text(params, 'chat_id').trim();
  if (wanted === '') return { family, chat: null, isGroup: false, messages: 1 };
  const isBusiness = text(params, 'business_connection_id') !== '';
  const chat = isBusiness ? undefined : lookUp(sim, bot.user.id, wanted);
  if (chat === undefined && !isBusiness) return null;
  const isGroup = chat !== undefined && chat.person === null;
  return { family, chat: isGroup ? String(chat.id) : wanted, isGroup, messages: messagesOf(params) };
}

/** An album and a list of copies count as many messages. */
function messagesOf(params: Call['params']): number {
  for (const name of ['message_ids', 'media']) {
    const many = text(params, name).trim().startsWith('[') ? json(params, name) : undefined;
    if (Array.isArray(many)) return Math.max(1, many.length);
  }
  return 1;
}

/** How long the caller still has to wait, after its call made the wait longer; null: it need not wait. */
function knock(flood: FloodState, { family, chat }: Counted, limits: FloodLimits, nowMs: number): number | null {
  const wait = [...new Set([waitKey(null, null), waitKey(family, null), waitKey(null, chat), waitKey(family, chat)])]
    .map((key) => flood.waits.get(key))
    .find((found) => found !== undefined && found.untilMs > nowMs);
  if (wait === undefined) return null;
  grow(wait, { ...PLATFORM_LIMITS, ...limits }, nowMs);
  return wait.untilMs - nowMs;
}

/** Calls that were sent side by side count once, so a wait grows once a second. */
function grow(wait: FloodWait, { waitGrowth = 1, longestWaitS = 0 }: FloodLimits, nowMs: number): void {
  if (waitGrowth <= 1 || nowMs - wait.lastGrownMs < 1_000) return;
  wait.lastGrownMs = nowMs;
  wait.lengthMs = Math.max(wait.lengthMs, Math.min(wait.lengthMs * waitGrowth, longestWaitS * 1000));
  wait.untilMs = Math.max(wait.untilMs, nowMs + wait.lengthMs);
}

/** Counts the messages of a call; if a limit is reached, begins a wait and returns its length. */
function spend(flood: FloodState, counted: Counted, limits: FloodLimits, nowMs: number): number | null {
  const { family, chat, isGroup, messages } = counted;
  const keys = { bot: waitKey(family, null), chat: waitKey(family, chat) };
  const botMs = windowWaitMs(flood, keys.bot, limits.perSecond, 1_000, nowMs);
  const minuteMs = isGroup ? windowWaitMs(flood, keys.chat, limits.perGroupMinute, 60_000, nowMs) : 0;
  const chatMs = Math.max(minuteMs, chat === null ? 0 : burstWaitMs(flood, keys.chat, limits, nowMs));
  if (botMs > 0) return begin(flood, { family, chat: null }, botMs, nowMs);
  if (chatMs > 0) return begin(flood, { family, chat }, chatMs, nowMs);
  if (limits.perSecond !== undefined) note(flood, keys.bot, messages, nowMs);
  if (isGroup && limits.perGroupMinute !== undefined) note(flood, keys.chat, messages, nowMs);
  if (chat !== null && limits.perChatSecond !== undefined) {
    const wholeAtMs = Math.max(nowMs, flood.wholeAtMs.get(keys.chat) ?? 0);
    flood.wholeAtMs.set(keys.chat, wholeAtMs + (messages * 1_000) / limits.perChatSecond);
  }
  forgetOld(flood, nowMs);
  return null;
}

/** Begins a wait, or replaces one. */
export function begin(
  flood: FloodState,
  { family, chat }: Pick<FloodWait, 'family' | 'chat'>,
  lengthMs: number,
  nowMs: number,
): number {
  const wait = { family, chat, lengthMs, untilMs: nowMs + lengthMs, lastGrownMs: Number.NEGATIVE_INFINITY };
  flood.waits.set(waitKey(family, chat), wait);
  return lengthMs;
}

function windowWaitMs(
  flood: FloodState,
  key: string,
  allowed: number | undefined,
  windowMs: number,
  nowMs: number,
): number {
  if (allowed === undefined) return 0;
  const times = flood.sent.get(key) ?? [];
  const firstInside = times.findIndex((atMs) => atMs > nowMs - windowMs);
  times.splice(0, firstInside === -1 ? times.length : firstInside);
  return times.length < allowed ? 0 : times[times.length - allowed]! + windowMs - nowMs;
}

function note(flood: FloodState, key: string, messages: number, nowMs: number): void {
  const times = flood.sent.get(key) ?? [];
  for (let message = 0; message < messages; message += 1) times.push(nowMs);
  flood.sent.set(key, times);
}

/** A bucket of `chatBurst` messages that fills by `perChatSecond`; an album may overdraw it. */
function burstWaitMs(
  flood: FloodState,
  key: string,
  { perChatSecond, chatBurst = 1 }: FloodLimits,
  nowMs: number,
): number {
  if (perChatSecond === undefined) return 0;
  const missing = (Math.max(0, (flood.wholeAtMs.get(key) ?? 0) - nowMs) * perChatSecond) / 1_000;
  return missing <= chatBurst - 1 ? 0 : ((missing - (chatBurst - 1)) * 1_000) / perChatSecond;
}
