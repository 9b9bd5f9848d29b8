import { BotApiError } from '../bot-api-error.ts';
import type { Simulator } from '../simulator.ts';
import { pending, randomUpdateId, renumber } from '../updates/update-queue.ts';
import { dropWebhook } from '../webhook/set-webhook.ts';
import type { ApiServer } from './api-server.ts';
import type { SimBot } from './sim-bot.ts';

const DROPPED_KEPT = 1_000;

/**
 * Has a call log its bot in at this server, with what came while it was logged in nowhere. A bot that is still logged in at
 * another server loses what waits there: the platform promises nothing for that (README of the official server).
 */
export function logIn(sim: Simulator, bot: SimBot): void {
  const { server } = sim;
  if (sim.clock.nowMs() < (server.refusedUntilMs.get(bot.user.id) ?? 0)) throw new BotApiError(400, 'Logged out');
  if (bot.server === server) return;
  if (bot.server !== null) leaveServer(sim, bot, bot.server);
  bot.server = server;
  bot.allowedUpdates = null;
  bot.lastGetUpdates = null;
  const known = server.nextUpdateIds.get(bot.user.id);
  renumber(bot.queue, known ?? sim.settings.firstUpdateId ?? randomUpdateId());
  sim.storage.saveBot(bot);
}

/** Ends a login: its webhook and what waits are gone, and update ids go on from here when it comes back. */
export function leaveServer(sim: Simulator, bot: SimBot, server: ApiServer): void {
  bot.waiter?.answer([]);
  dropWebhook(sim, bot);
  server.nextUpdateIds.set(bot.user.id, bot.queue.nextId);
  const unseen = [...pending(bot.queue, sim.clock.nowMs())].filter(({ answered }) => !answered).map(({ text }) => text);
  bot.dropped = [...bot.dropped, ...unseen].slice(-DROPPED_KEPT);
  renumber(bot.queue, bot.queue.nextId, { isEmptied: true });
  bot.server = null;
}
