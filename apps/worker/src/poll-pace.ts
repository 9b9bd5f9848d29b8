import type { PollPace } from '@flotilla/domain/delivery/polling/polling-turn.ts';
import { polls } from '@flotilla/domain/fleet/bots/bot.ts';
import { readReplicas } from '@flotilla/domain/watch/fleet-figures/replicas.ts';
import type { WorkerContext } from './context.ts';

const LONGEST_S = 30;
const RECOUNT_EVERY_MS = 5_000;
/** A turn goes on for some polls while every bot may be polled: to end it and to begin another takes some 40 commands in Redis. */
const POLLS_OF_A_TURN = 5;

/** The shortest pause of a bot whose intake is stopped. Thousands of them must not slow the turns that drain Redis. */
const SHORTEST_PAUSE_MS = 2_000;
const PAUSED_TURNS_PER_S = 500;

export function pollPace(context: WorkerContext): PollPace & { stop(): Promise<void> } {
  let workers = 1;
  let bots = 0;
  const recount = () => {
    if (context.directory.ready()) bots = context.directory.all().filter(polls).length;
    if (bots <= context.config.pollingConcurrency) return;
    readReplicas(context)
      .then((replicas) => {
        workers = Math.max(1, replicas.filter(({ roles }) => roles.includes('polling')).length);
      })
      .catch(() => {});
  };
  recount();
  const timer = setInterval(recount, RECOUNT_EVERY_MS);
  const atOnce = () => workers * context.config.pollingConcurrency;
  const timeoutS = () => (bots <= atOnce() ? LONGEST_S : Math.max(1, Math.floor((LONGEST_S * atOnce()) / bots)));
  return {
    timeoutS,
    turnMs: () => timeoutS() * 1000 * (bots <= atOnce() ? POLLS_OF_A_TURN : 1),
    pauseMs: () => Math.max(SHORTEST_PAUSE_MS, (bots / PAUSED_TURNS_PER_S) * 1000),
    stop: async () => clearInterval(timer),
  };
}
