import type { SimBot, Waiter } from '../bots/sim-bot.ts';
import { integer, type Params } from '../http/params.ts';
import type { Simulator } from '../simulator.ts';
import { refuseConflict } from './refuse-conflict.ts';
import { storeAllowedUpdates } from './store-allowed-updates.ts';
import { absoluteOffset, read } from './update-queue.ts';

const MAX_TIMEOUT_S = 50;
const MAX_LIMIT = 100;
const REPEAT_WINDOW_MS = 3_000;
const TIGHT_WINDOW_MS = 500;

type Request = { offset: number; limit: number; timeoutS: number };

/** Runs getUpdates (Client.cpp:15700-15724, 16321-16431); resolves with the raw elements, rejects with 409. */
export function getUpdates(sim: Simulator, bot: SimBot, params: Params): Promise<string[]> {
  return new Promise((resolve, reject) => {
    if (bot.webhook !== null || bot.refusePendingSet !== null) return refuseConflict(bot, 'webhookActive', reject);
    storeAllowedUpdates(sim, bot, params);
    const request = throttle(bot, params);
    const offset = absoluteOffset(bot.queue, request.offset, sim.clock.nowMs());
    const updates = read(bot.queue, offset, request.limit, sim.clock.nowMs());
    if (updates.length > 0 || request.timeoutS === 0) return resolve(updates);
    wait(bot, { ...request, offset }, resolve, reject);
  });
}

function throttle(bot: SimBot, params: Params): Request {
  const nowMs = performance.now();
  const offset = integer(params, 'offset', 0, -(2 ** 31), 2 ** 31 - 1);
  const limit = integer(params, 'limit', MAX_LIMIT, 1, MAX_LIMIT);
  const timeoutS = integer(params, 'timeout', 0, 0, MAX_TIMEOUT_S);
  const previous = bot.lastGetUpdates;
  bot.lastGetUpdates = { offset, startedMs: nowMs };
  const agoMs = previous?.offset === offset ? nowMs - previous.startedMs : Number.POSITIVE_INFINITY;
  return {
    offset,
    limit: agoMs < TIGHT_WINDOW_MS ? 1 : limit,
    timeoutS: agoMs < REPEAT_WINDOW_MS && timeoutS < 3 ? 3 : timeoutS,
  };
}

function wait(
  bot: SimBot,
  request: Request,
  resolve: (updates: string[]) => void,
  reject: (error: Error) => void,
): void {
  const older = bot.waiter;
  older?.refuse();
  const leave = (waiter: Waiter) => {
    clearTimeout(timer);
    if (bot.waiter === waiter) bot.waiter = null;
  };
  const waiter: Waiter = {
    offset: request.offset,
    limit: request.limit,
    answer(updates) {
      leave(waiter);
      resolve(updates);
    },
    refuse(reason = 'otherGetUpdates') {
      leave(waiter);
      refuseConflict(bot, reason, reject);
    },
    cancelTimer: () => clearTimeout(timer),
  };
  const timer = setTimeout(() => waiter.answer([]), request.timeoutS * 1000);
  bot.waiter = waiter;
}
