import { polls } from '@flotilla/domain/bots/bot.ts';
import type { WorkerContext } from './context.ts';

const LONGEST_S = 30;
const RECOUNT_EVERY_MS = 5_000;

/** Bots that take nothing in look this often, so that thousands of them leave Redis and workers to those that drain. */
const SHORTEST_PAUSE_MS = 2_000;
const PAUSED_TURNS_PER_S = 500;

/** How the bots there are share what can be asked at once. */
export type PollPace = {
  /** How long (s) one getUpdates may wait: with more bots than slots it shrinks, so that each has its turn within 30 s. */
  timeoutS: () => number;
  /** How long (ms) a bot may keep its slot: where others wait for one, for a single getUpdates. */
  turnMs: () => number;
  /** How long (ms) a bot rests whose intake is stopped. */
  pauseMs: () => number;
};

export function pollPace(context: WorkerContext): PollPace & { stop(): Promise<void> } {
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
  const timeoutS = () => {
    const slots = workers * context.config.pollingConcurrency;
    return bots <= slots ? LONGEST_S : Math.max(1, Math.floor((LONGEST_S * slots) / bots));
  };
  return {
    timeoutS,
    turnMs: () => timeoutS() * 1000,
    pauseMs: () => Math.max(SHORTEST_PAUSE_MS, (bots / PAUSED_TURNS_PER_S) * 1000),
    stop: async () => clearInterval(timer),
  };
}
