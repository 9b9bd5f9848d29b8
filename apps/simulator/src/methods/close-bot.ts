import { BotApiError } from '../bot-api-error.ts';
import { leaveServer, logIn } from '../bots/log-in.ts';
import type { SimBot } from '../bots/sim-bot.ts';
import type { Simulator } from '../simulator.ts';
import { read } from '../updates/update-queue.ts';
import type { Call } from './call.ts';

const LINGER_MS = 1_000;

/** Refuses calls while the bot's instance closes; the first call after that starts it again (Client.cpp:16286). */
export function refuseWhileAway({ sim, bot }: Call, name: string): void {
  logIn(sim, bot);
  if (sim.clock.nowMs() < bot.closedUntilMs) throw new BotApiError(500, 'Internal Server Error: restart');
  if (!bot.closed) return;
  if (name === 'close') throw new BotApiError(400, 'Bad Request: the bot has already been closed');
  bot.closed = false;
}

/** close: keeps the queue and the webhook, and ends a waiting poll with what is queued. */
export function closeBot({ sim, bot }: Call): true {
  answerWaiter(sim, bot);
  bot.closed = true;
  bot.closedUntilMs = sim.clock.nowMs() + LINGER_MS;
  return true;
}

/** logOut: a waiting poll gets what is queued, which is dropped with the webhook; the bot may not come back here for a while. */
export function logOutBot({ sim, bot }: Call): true {
  answerWaiter(sim, bot);
  leaveServer(sim, bot, sim.server);
  sim.server.refusedUntilMs.set(bot.user.id, sim.clock.nowMs() + sim.settings.loggedOutMs);
  return true;
}

function answerWaiter({ clock }: Simulator, { waiter, queue }: SimBot): void {
  waiter?.answer(read(queue, waiter.offset, waiter.limit, clock.nowMs()));
}
