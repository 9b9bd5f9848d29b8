import type { Bot } from '@flotilla/domain/bots/bot.ts';
import { callInReply } from '@flotilla/domain/push/call-in-reply.ts';
import { afterFailure, type FailedTry, givenUp } from '@flotilla/domain/push/delivery-schedule.ts';
import type { Attempt, DueUpdate, Finished } from '@flotilla/domain/push/push-step.ts';
import { type Delivery, sendToBackend } from '@flotilla/domain/push/send-to-backend.ts';
import { isDropped } from '@flotilla/domain/routing-rules/is-dropped.ts';
import type { TurnLease } from '@flotilla/redis/turn-worker.ts';
import type { Span } from '@flotilla/runtime/tracing.ts';
import type { WorkerContext } from '../context.ts';

/** Sends one update to the backend, executes the call its answer may hold, and says what becomes of it. */
export async function deliverUpdate(
  deps: WorkerContext,
  bot: Bot,
  update: DueUpdate,
  lease: TurnLease,
  cancel: AbortSignal,
): Promise<Finished> {
  const { lane, unitId } = update;
  if (!lease.held()) return { lane, unitId, outcome: 'release' };
  if (await isDropped(deps, bot, update)) return { lane, unitId, outcome: 'dropped' };
  const begunAtMs = deps.clock.nowMs();
  const span = beginSpan(deps, bot, update);
  const delivery = await sendToBackend(
    deps.backends.to(bot),
    bot,
    span === null ? update : { ...update, traceparent: span.traceparent },
    cancel,
  );
  if (span !== null) endSpan(span, delivery);
  deps.measure.sent(delivery.outcome, deps.clock.nowMs() - begunAtMs);
  if (delivery.outcome === 'aborted') return { lane, unitId, outcome: 'release' };
  const attempt = attemptOf(update, delivery, begunAtMs, deps.clock.nowMs());
  if (delivery.outcome !== 'delivered') {
    return { lane, unitId, attempt, ...afterFailedDelivery(update, delivery, deps.clock.nowMs()) };
  }
  deps.measure.delivered(update, deps.clock.nowMs());
  if (delivery.reply !== '') await callInReply(deps, bot, delivery);
  return { lane, unitId, attempt, outcome: 'ok' };
}

/** Updates whose intake was left out of tracing are left out here, too. */
function beginSpan({ tracing }: WorkerContext, bot: Bot, update: DueUpdate): Span | null {
  if (tracing === null || update.traceparent === null) return null;
  return tracing.start('deliver update', {
    kind: 'client',
    parent: update.traceparent,
    attributes: {
      'flotilla.bot_id': bot.id,
      'flotilla.update_id': update.id,
      'flotilla.attempt': (update.retry?.attempts ?? 0) + 1,
    },
  });
}

function endSpan(span: Span, delivery: Delivery): void {
  span.set({ 'flotilla.outcome': delivery.outcome });
  if ('status' in delivery) span.set({ 'http.response.status_code': delivery.status });
  span.end(delivery.outcome === 'delivered' ? 'ok' : 'failed');
}

type FailedDelivery = Extract<Delivery, { outcome: 'refused' | 'failed' }>;

function afterFailedDelivery(update: DueUpdate, delivery: FailedDelivery, nowMs: number) {
  const record = afterFailure(update.retry, failedTry(delivery), update, nowMs);
  if (record.nextTryAtMs <= update.expiresAtMs) return { outcome: 'retry' as const, record };
  return { outcome: 'dead' as const, failure: givenUp(record) };
}

function failedTry(delivery: FailedDelivery): FailedTry {
  const { reason } = delivery;
  if (delivery.outcome === 'failed') return { code: delivery.code, status: null, reason };
  const { status, retryAfterS } = delivery;
  return { code: 'refused', status, reason, ...(retryAfterS === undefined ? {} : { retryAfterS }) };
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
