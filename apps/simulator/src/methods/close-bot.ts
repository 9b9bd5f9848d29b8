import { BotApiError } from '../bot-api-error.ts';
import { clear } from '../updates/update-queue.ts';
import { dropWebhook } from '../webhook/set-webhook.ts';
import type { Call } from './call.ts';

const LINGER_MS = 1_000;

/** Refuses calls while the bot's instance closes; the first call after that starts it again (Client.cpp:16286). */
export function refuseWhileAway({ sim, bot }: Call, name: string): void {
  const nowMs = sim.clock.nowMs();
  if (nowMs < bot.loggedOutUntilMs) throw new BotApiError(400, 'Logged out');
  if (nowMs < bot.closedUntilMs) throw new BotApiError(500, 'Internal Server Error: restart');
  if (!bot.closed) return;
  if (name === 'close') throw new BotApiError(400, 'Bad Request: the bot has already been closed');
  bot.closed = false;
}

/** close: keeps the queue and the webhook, and ends a waiting poll with an empty result. */
export function closeBot({ sim, bot }: Call): true {
  bot.waiter?.answer([]);
  bot.closed = true;
  bot.closedUntilMs = sim.clock.nowMs() + LINGER_MS;
  return true;
}

/** logOut: drops pending updates and the webhook; the bot is unavailable for a while. */
export function logOutBot({ sim, bot }: Call): true {
  bot.waiter?.answer([]);
  dropWebhook(sim, bot);
  clear(bot.queue);
  bot.loggedOutUntilMs = sim.clock.nowMs() + sim.settings.loggedOutMs;
  return true;
}
