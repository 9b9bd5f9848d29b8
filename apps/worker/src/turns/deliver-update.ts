import type { Bot } from '@flotilla/domain/bots/bot.ts';
import { callInReply } from '@flotilla/domain/push/call-in-reply.ts';
import { afterFailure } from '@flotilla/domain/push/delivery-schedule.ts';
import type { DueUpdate, Finished } from '@flotilla/domain/push/push-step.ts';
import { type Delivery, sendToBackend } from '@flotilla/domain/push/send-to-backend.ts';
import type { TurnLease } from '@flotilla/redis/turn-worker.ts';
import type { WorkerContext } from '../context.ts';

/** Sends one update to the backend, executes the call its answer may hold, and says what becomes of it. */
export async function deliverUpdate(
  deps: WorkerContext,
  bot: Bot,
  update: DueUpdate,
  lease: TurnLease,
  cancel: AbortSignal,
): Promise<Finished> {
  const { lane, id } = update;
  if (!lease.held()) return { lane, id, outcome: 'release' };
  const delivery = await sendToBackend(deps.backends.to(bot), bot, update, cancel);
  deps.measure.pushed.inc({ outcome: delivery.outcome });
  if (delivery.outcome !== 'delivered') return afterFailedDelivery(deps, update, delivery);
  deps.measure.pushLag.observe((deps.clock.nowMs() - update.acceptedAtMs) / 1000);
  if (delivery.reply !== '') await callInReply(deps, bot, delivery);
  return { lane, id, outcome: 'ok' };
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
