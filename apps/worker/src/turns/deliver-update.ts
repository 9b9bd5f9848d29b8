import type { Bot } from '@flotilla/domain/bots/bot.ts';
import { callInReply } from '@flotilla/domain/push/call-in-reply.ts';
import { afterFailure } from '@flotilla/domain/push/delivery-schedule.ts';
import type { Attempt, DueUpdate, Finished } from '@flotilla/domain/push/push-step.ts';
import { type Delivery, sendToBackend } from '@flotilla/domain/push/send-to-backend.ts';
import { isDropped } from '@flotilla/domain/routing-rules/is-dropped.ts';
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
  const { lane, place } = update;
  if (!lease.held()) return { lane, place, outcome: 'release' };
  if (await isDropped(deps, bot, update)) return { lane, place, outcome: 'dropped' };
  const begunAtMs = deps.clock.nowMs();
  const delivery = await sendToBackend(deps.backends.to(bot), bot, update, cancel);
  deps.measure.pushed.inc({ outcome: delivery.outcome });
  if (delivery.outcome === 'aborted') return { lane, place, outcome: 'release' };
  const attempt = attemptOf(update, delivery, begunAtMs, deps.clock.nowMs());
  if (delivery.outcome !== 'delivered') {
    return { lane, place, attempt, ...afterFailedDelivery(update, delivery, deps.clock.nowMs()) };
  }
  deps.measure.pushLag.observe((deps.clock.nowMs() - update.acceptedAtMs) / 1000);
  if (delivery.reply !== '') await callInReply(deps, bot, delivery);
  return { lane, place, attempt, outcome: 'ok' };
}

type FailedDelivery = Extract<Delivery, { outcome: 'refused' | 'failed' }>;

function afterFailedDelivery(update: DueUpdate, delivery: FailedDelivery, nowMs: number) {
  const status = delivery.outcome === 'refused' ? delivery.status : null;
  const retryAfter = delivery.outcome === 'refused' ? delivery.retryAfterS : undefined;
  const failure = { status, reason: delivery.reason, ...(retryAfter === undefined ? {} : { retryAfterS: retryAfter }) };
  const record = afterFailure(update.retry, failure, nowMs);
  if (record.nextTryAtMs <= update.expiresAtMs) return { outcome: 'retry' as const, record };
  return { outcome: 'dead' as const, reason: delivery.reason, attempts: record.attempts, lastStatus: status };
}

function attemptOf(
  update: DueUpdate,
  delivery: Exclude<Delivery, { outcome: 'aborted' }>,
  begunAtMs: number,
  endedAtMs: number,
): Attempt {
  return {
    at: new Date(begunAtMs).toISOString(),
    update_id: update.id,
    status: delivery.outcome === 'failed' ? 0 : delivery.status,
    duration_ms: endedAtMs - begunAtMs,
    ...(delivery.outcome === 'delivered' ? {} : { error: delivery.reason }),
  };
}
