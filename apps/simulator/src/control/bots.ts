import { newCallLog, type RecordedCall } from '../bots/call-log.ts';
import { createBot as addBot, type NewBot, newSecret } from '../bots/create-bot.ts';
import { webhookInfo } from '../methods/get-webhook-info.ts';
import type { Simulator } from '../simulator.ts';
import { pending, pendingCount } from '../updates/update-queue.ts';
import { ControlError } from './control-error.ts';
import { botOf } from './lookups.ts';

export type ShownBot = { id: number; token: string; username: string; name: string };

export function createBot(sim: Simulator, input: NewBot): ShownBot {
  if (input.token !== undefined && !/^[1-9]\d*:[\w-]{3,}$/.test(input.token)) {
    throw new ControlError('a token looks like 123456:secret');
  }
  const bot = addBot(sim, input);
  return { id: bot.user.id, token: bot.token, username: bot.user.username, name: bot.user.first_name };
}

/** Gives the bot a new token, so that the old one answers 401. */
export function revokeToken(sim: Simulator, input: { bot: number }): { token: string } {
  const bot = botOf(sim, input.bot);
  bot.token = `${bot.user.id}:${newSecret()}`;
  return { token: bot.token };
}

export function listBots(sim: Simulator): ShownBot[] {
  return [...sim.bots.values()].map(({ user, token }) => ({
    id: user.id,
    token,
    username: user.username,
    name: user.first_name,
  }));
}

export type CallsSeen = {
  calls: RecordedCall[];
  total: number;
  byMethod: Record<string, number>;
  /** getUpdates calls under way now, and the most there ever were at once. */
  pollsNow: number;
  pollsHighWater: number;
};

/** What a bot's program has called; the latest 5 000 calls whole, the rest as counts. */
export function readCalls(sim: Simulator, input: { bot: number; method?: string }): CallsSeen {
  const log = botOf(sim, input.bot).calls;
  const wanted = input.method?.toLowerCase();
  return {
    calls: wanted === undefined ? log.calls : log.calls.filter(({ method }) => method === wanted),
    total: log.total,
    byMethod: Object.fromEntries(log.byMethod),
    pollsNow: log.pollsNow,
    pollsHighWater: log.pollsHighWater,
  };
}

export function forgetCalls(sim: Simulator, input: { bot: number }): void {
  const bot = botOf(sim, input.bot);
  bot.calls = { ...newCallLog(), pollsNow: bot.calls.pollsNow, pollsHighWater: bot.calls.pollsNow };
}

/** What waits for the bot: the count, and the texts of the oldest `limit` (100 when not given). */
export function pendingUpdates(
  sim: Simulator,
  input: { bot: number; limit?: number },
): { count: number; updates: string[] } {
  const { queue } = botOf(sim, input.bot);
  const nowMs = sim.clock.nowMs();
  const updates: string[] = [];
  for (const { text } of pending(queue, nowMs)) {
    if (updates.length >= (input.limit ?? 100)) break;
    updates.push(text);
  }
  return { count: pendingCount(queue, nowMs), updates };
}

export function readWebhook(sim: Simulator, input: { bot: number }) {
  const bot = botOf(sim, input.bot);
  return { ...webhookInfo(sim, bot), secretToken: bot.webhook?.secretToken ?? '' };
}
