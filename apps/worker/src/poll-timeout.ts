import { polls } from '@flotilla/domain/bots/bot.ts';
import type { WorkerContext } from './context.ts';

const LONGEST_S = 30;
const RECOUNT_EVERY_MS = 5_000;

/** How long one getUpdates may wait: with more bots than slots it shrinks, so that each has its turn within 30 s. */
export function pollTimeout(context: WorkerContext): { seconds: () => number; stop(): Promise<void> } {
  let workers = 1;
  let bots = 0;
  const recount = () => {
    if (context.directory.ready()) bots = context.directory.all().filter(polls).length;
    context.turns.polling
      .workerCount()
      .then((count) => {
        workers = Math.max(1, count);
      })
      .catch(() => {});
  };
  recount();
  const timer = setInterval(recount, RECOUNT_EVERY_MS);
  return {
    seconds: () => {
      const slots = workers * context.config.pollingConcurrency;
      return bots <= slots ? LONGEST_S : Math.max(1, Math.floor((LONGEST_S * slots) / bots));
    },
    stop: async () => clearInterval(timer),
  };
}
