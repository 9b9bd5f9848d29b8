import type { Bot } from '@flotilla/domain/bots/bot.ts';
import { callInReply } from '@flotilla/domain/push/call-in-reply.ts';
import { afterFailure } from '@flotilla/domain/push/delivery-schedule.ts';
import { type DueUpdate, type Finished, pushStep } from '@flotilla/domain/push/push-step.ts';
import { type Delivery, sendToBackend } from '@flotilla/domain/push/send-to-backend.ts';
import type { TurnLease } from '@flotilla/redis/turn-worker.ts';
import type { WorkerContext } from '../context.ts';

/** Why a round of deliveries ended. */
export type RoundEnd =
  /** Nothing is due now; nextDueMs is the earliest retry, null when nothing waits. */
  | { reason: 'drained'; nextDueMs: number | null }
  /** There is more, but others have their turn first. */
  | { reason: 'budget' }
  /** Somebody else owns the bot's push, or the bot is gone. */
  | { reason: 'lost' };

const TURN_MS = 5_000;
const TURN_UPDATES = 2_000;
const TIDY_EVERY_MS = 2_000;
/** A slow backend must not keep the other lanes waiting for the turn's end. */
const WIND_DOWN_MS = 250;
const LOOK_AT_LEAST_EVERY_MS = 5_000;
/** Waiting a moment for the next update is cheaper than ending this turn and beginning another. */
const LINGER_MS = 10;

/** Hands out, sends and records until nothing is due, the turn's share is used up, or the ownership is lost. */
export async function pushRound(deps: WorkerContext, bot: Bot, epoch: number, lease: TurnLease): Promise<RoundEnd> {
  const listening = deps.pushable.listen(bot.id);
  const cancel = new AbortController();
  const finished: Finished[] = [];
  const inFlight = new Set<number>();
  let wakeUp: () => void = () => {};
  let somethingNew = false;
  listening.onWake(() => {
    somethingNew = true;
    wakeUp();
  });
  lease.signal.addEventListener('abort', () => wakeUp(), { once: true });

  const deliver = async (update: DueUpdate): Promise<void> => {
    inFlight.add(update.id);
    finished.push(await deliverOne(deps, bot, update, lease, cancel.signal));
    inFlight.delete(update.id);
    wakeUp();
  };
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const begunAtMs = deps.clock.nowMs();
  let budgetFromMs = begunAtMs;
  let sent = 0;
  let tidiedAtMs = begunAtMs;
  let lingered = false;
  try {
    while (true) {
      const nowMs = deps.clock.nowMs();
      const spentMs = nowMs - budgetFromMs;
      // Past its share the turn takes nothing new for a moment; when requests hang, it goes on for the other lanes.
      if (spentMs > TURN_MS + WIND_DOWN_MS && inFlight.size > 0) budgetFromMs = nowMs;
      const winding = spentMs > TURN_MS || sent >= TURN_UPDATES || !lease.held();
      const tidy = nowMs - tidiedAtMs > TIDY_EVERY_MS;
      if (tidy) tidiedAtMs = nowMs;
      const room = winding ? 0 : bot.maxConnections - inFlight.size;
      somethingNew = false;
      const step = await pushStep(deps, bot, { epoch, finished: finished.splice(0), room, tidy });
      if (step.outcome === 'lost') {
        cancel.abort();
        return { reason: 'lost' };
      }
      for (const update of step.due) void deliver(update);
      sent += step.due.length;
      if (sent >= TURN_UPDATES && inFlight.size === 0 && finished.length === 0) return { reason: 'budget' };
      if (finished.length > 0 || somethingNew) continue;
      if (inFlight.size > 0) {
        const roomLeft = bot.maxConnections > inFlight.size;
        if (roomLeft && step.moreToFile && !winding) continue;
        const dueInMs =
          roomLeft && step.nextDueMs !== null ? step.nextDueMs - deps.clock.nowMs() : LOOK_AT_LEAST_EVERY_MS;
        await pause(Math.min(Math.max(dueInMs, winding ? WIND_DOWN_MS : 0), LOOK_AT_LEAST_EVERY_MS));
        continue;
      }
      if (winding) return { reason: 'budget' };
      if (step.moreToFile || (step.nextDueMs !== null && step.nextDueMs <= deps.clock.nowMs())) continue;
      if (step.nextDueMs === null && !lingered && sent > 0) {
        lingered = true;
        await pause(LINGER_MS);
        if (somethingNew) lingered = false;
        continue;
      }
      return { reason: 'drained', nextDueMs: step.nextDueMs };
    }
  } finally {
    listening.stop();
  }
}

async function deliverOne(
  deps: WorkerContext,
  bot: Bot,
  update: DueUpdate,
  lease: TurnLease,
  cancel: AbortSignal,
): Promise<Finished> {
  const { lane, id } = update;
  if (!lease.held()) return { lane, id, outcome: 'release' };
  const delivery = await sendToBackend(
    { dispatcher: deps.backends.to(bot), allowedCidrs: deps.config.backendAllowedCidrs },
    bot,
    update,
    cancel,
  );
  deps.measure.pushed.inc({ outcome: delivery.outcome });
  if (delivery.outcome === 'delivered') {
    deps.measure.pushLag.observe((deps.clock.nowMs() - update.acceptedAtMs) / 1000);
    if (delivery.reply !== '') await callInReply(deps, bot, delivery);
    return { lane, id, outcome: 'ok' };
  }
  return afterFailedDelivery(deps, update, delivery);
}

function afterFailedDelivery(
  deps: WorkerContext,
  update: DueUpdate,
  delivery: Exclude<Delivery, { outcome: 'delivered' }>,
): Finished {
  const { lane, id } = update;
  if (delivery.outcome === 'aborted') return { lane, id, outcome: 'release' };
  const status = delivery.outcome === 'refused' ? delivery.status : null;
  const retryAfter = delivery.outcome === 'refused' ? delivery.retryAfterS : undefined;
  const record = afterFailure(
    update.retry,
    { status, reason: delivery.reason, ...(retryAfter === undefined ? {} : { retryAfterS: retryAfter }) },
    deps.clock.nowMs(),
  );
  if (record.nextTryAtMs <= update.expiresAtMs) return { lane, id, outcome: 'retry', record };
  return { lane, id, outcome: 'dead', reason: delivery.reason, attempts: record.attempts, lastStatus: status };
}
