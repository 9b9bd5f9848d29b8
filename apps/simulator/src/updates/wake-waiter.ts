import type { SimBot } from '../bots/sim-bot.ts';
import type { SimClock } from '../sim-clock.ts';
import { read } from './update-queue.ts';

const QUIET_MS = 1;
const LONGEST_MS = 2;

/** Answers the waiting poll 1 ms after the latest update, at most 2 ms after the first (Client.cpp:16406-16431). */
export function wakeWaiter(clock: SimClock, bot: SimBot): void {
  if (bot.waiter === null) return;
  const nowMs = performance.now();
  const timers = bot.wakeTimers;
  timers.firstAtMs ??= nowMs;
  if (timers.last !== undefined && nowMs - timers.firstAtMs >= LONGEST_MS) return;
  clearTimeout(timers.last);
  timers.last = setTimeout(() => {
    timers.last = undefined;
    timers.firstAtMs = undefined;
    const waiter = bot.waiter;
    if (waiter === null) return;
    waiter.answer(read(bot.queue, waiter.offset, waiter.limit, clock.nowMs()));
  }, QUIET_MS);
}
