import { type Bot, pushes } from '@flotilla/domain/bots/bot.ts';
import { clearBackend } from '@flotilla/domain/bots/clear-backend.ts';
import { pushStep } from '@flotilla/domain/push/push-step.ts';
import type { TurnLease } from '@flotilla/redis/turn-worker.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { WorkerContext } from '../context.ts';
import { type Deliveries, openDeliveries } from './deliveries.ts';

/** Why a round of deliveries ended. */
export type RoundEnd =
  /** Nothing is due now; nextDueMs is the earliest retry, null when nothing waits. */
  | { reason: 'drained'; nextDueMs: number | null }
  /** There is more, but others have their turn first. */
  | { reason: 'share-used' }
  /** Somebody else owns the bot's push, or the bot is gone. */
  | { reason: 'lost' };

const SHARE_MS = 5_000;
const SHARE_UPDATES = 2_000;
/** How long a turn past its share waits for what is under way, before it goes on for the other lanes. */
const WIND_DOWN_MS = 250;
const TIDY_EVERY_MS = 2_000;
const LOOK_EVERY_MS = 5_000;
/** Waiting a while for the next update is far cheaper than ending this turn and beginning another. */
const LINGER_MS = 500;
const NO_SLOT_PAUSE_MS = 50;

/** Hands out, sends and records until nothing is due, the turn's share is used up, or the ownership is lost. */
export async function pushRound(deps: WorkerContext, given: Bot, epoch: number, lease: TurnLease): Promise<RoundEnd> {
  let bot = given;
  const deliveries = openDeliveries(deps, bot.id, lease);
  const share = turnShare(deps.clock);
  const tidies = every(TIDY_EVERY_MS, deps.clock);
  let lingers = true;
  try {
    while (true) {
      bot = newestOf(deps, bot);
      const winding = share.usedUp() || !lease.held();
      const room = winding ? 0 : deps.slots.offer(bot.maxConnections - deliveries.inFlight());
      const finished = deliveries.takeFinished();
      const step = await pushStep(deps, bot, { epoch, finished, room, tidy: tidies() });
      if (step.outcome === 'lost') {
        deliveries.close({ breakOff: true });
        return { reason: 'lost' };
      }
      deliveries.start(bot, step.due);
      if (step.hopeless) await clearBackend(deps, bot, { dropPending: false });
      share.take(step.due.length);
      if (finished.length > 0 || step.due.length > 0) lingers = true;

      const dueInMs = step.nextDueMs === null ? LOOK_EVERY_MS : step.nextDueMs - deps.clock.nowMs();
      const more = !winding && room > step.due.length && (step.moreToFile || dueInMs <= 0);
      if (more || deliveries.hasNews()) continue;
      if (deliveries.inFlight() > 0) {
        await waitForNews(deliveries, { winding, room: room - step.due.length, dueInMs });
        if (winding && deliveries.inFlight() > 0) share.renew();
      } else if (winding) {
        return { reason: 'share-used' };
      } else if (room === 0) {
        await deliveries.news(NO_SLOT_PAUSE_MS);
      } else if (step.nextDueMs === null && lingers && deps.lingerers.offer(1) > 0) {
        lingers = false;
        await lingerFor(deps, deliveries);
        // Ending looks once more; another step only to find nothing would double what a lone update costs.
        if (!deliveries.hasNews()) return { reason: 'drained', nextDueMs: null };
      } else {
        return { reason: 'drained', nextDueMs: step.nextDueMs };
      }
    }
  } finally {
    deliveries.close();
  }
}

async function lingerFor(deps: WorkerContext, deliveries: Deliveries): Promise<void> {
  deps.lingerers.take();
  await deliveries.news(LINGER_MS);
  deps.lingerers.giveBack();
}

/** The configuration may change while the turn runs; what is sent from then on goes where it says. */
function newestOf(deps: WorkerContext, bot: Bot): Bot {
  const newest = deps.directory.ready() ? deps.directory.byId(bot.id) : undefined;
  return newest && pushes(newest) ? newest : bot;
}

function waitForNews(deliveries: Deliveries, at: { winding: boolean; room: number; dueInMs: number }): Promise<void> {
  if (at.winding) return deliveries.news(WIND_DOWN_MS);
  return deliveries.news(at.room > 0 ? Math.min(Math.max(at.dueInMs, 1), LOOK_EVERY_MS) : LOOK_EVERY_MS);
}

/** One bot's share of a worker's time: seconds and updates, after which the next bot is served. */
function turnShare(clock: Clock) {
  let endsAtMs = clock.nowMs() + SHARE_MS;
  let left = SHARE_UPDATES;
  return {
    usedUp: () => left <= 0 || clock.nowMs() > endsAtMs,
    take: (updates: number) => {
      left -= updates;
    },
    /** A request that hangs must not keep the other lanes of its bot waiting for the turn's end. */
    renew: () => {
      endsAtMs = clock.nowMs() + SHARE_MS;
      left = SHARE_UPDATES;
    },
  };
}

function every(periodMs: number, clock: Clock): () => boolean {
  let lastMs = clock.nowMs();
  return () => {
    const due = clock.nowMs() - lastMs >= periodMs;
    if (due) lastMs = clock.nowMs();
    return due;
  };
}
