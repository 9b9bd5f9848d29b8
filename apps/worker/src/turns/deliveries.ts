import type { Bot } from '@flotilla/domain/bots/bot.ts';
import type { DueUpdate, Finished } from '@flotilla/domain/push/push-step.ts';
import type { TurnLease } from '@flotilla/redis/turn-worker.ts';
import type { WorkerContext } from '../context.ts';
import { deliverUpdate } from './deliver-update.ts';

/** The requests a push turn has under way. */
export type Deliveries = {
  /** Sends them with the bot's configuration of this moment. */
  start(bot: Bot, updates: DueUpdate[]): void;
  inFlight(): number;
  /** What has ended since the last call. */
  takeFinished(): Finished[];
  /** Whether something ended, or was appended to the bot's log, since the last takeFinished. */
  hasNews(): boolean;
  /** Resolves at the next news, at the latest after this time. */
  news(withinMs: number): Promise<void>;
  /** Stops listening, and breaks off what is under way when asked to. */
  close(options?: { breakOff: boolean }): void;
};

/** A worker that stops has to be gone within 25 s: a backend that takes longer than this is asked again by another. */
const STOPPED_PATIENCE_MS = 6000;

export function openDeliveries(deps: WorkerContext, botId: number, lease: TurnLease): Deliveries {
  const cancel = new AbortController();
  const appended = deps.pushable.listen(botId);
  let finished: Finished[] = [];
  let inFlight = 0;
  let news = false;
  let wakeUp: () => void = () => {};
  const tell = () => {
    news = true;
    wakeUp();
  };
  appended.onWake(tell);
  let patience: NodeJS.Timeout | undefined;
  const windDown = () => {
    patience = setTimeout(() => cancel.abort(), STOPPED_PATIENCE_MS);
    tell();
  };
  lease.signal.addEventListener('abort', windDown, { once: true });

  const deliver = async (bot: Bot, update: DueUpdate): Promise<void> => {
    inFlight += 1;
    deps.slots.take();
    const { lane, place } = update;
    const ended = await deliverUpdate(deps, bot, update, lease, cancel.signal).catch((error: unknown): Finished => {
      deps.log.error({ bot: bot.id, update: update.id, err: error }, 'the handling of an update failed');
      return { lane, place, outcome: 'threw' };
    });
    deps.slots.giveBack();
    inFlight -= 1;
    finished.push(ended);
    tell();
  };

  return {
    start: (bot, updates) => {
      for (const update of updates) void deliver(bot, update);
    },
    inFlight: () => inFlight,
    takeFinished: () => {
      const taken = finished;
      finished = [];
      news = false;
      return taken;
    },
    hasNews: () => news,
    news: (withinMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, withinMs);
        wakeUp = () => {
          clearTimeout(timer);
          resolve();
        };
        if (news) wakeUp();
      }),
    close: (options) => {
      appended.stop();
      lease.signal.removeEventListener('abort', windDown);
      clearTimeout(patience);
      if (options?.breakOff) cancel.abort();
    },
  };
}
