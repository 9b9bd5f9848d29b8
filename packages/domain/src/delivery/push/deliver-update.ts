import type { Span, Tracing } from '@flotilla/runtime/tracing.ts';
import { chatOfUpdate } from '@flotilla/telegram/update-facts.ts';
import { rulesMatchInTurns } from '../../fleet/bots/bot.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import type { Attempt } from '../../records/journal/attempt-line.ts';
import { isHeldFrom, TAKEN_OVER } from '../deliveries/held-with.ts';
import { isUpdateWithin, placesOf } from '../filters/is-update-within.ts';
import { type ClaimedUnit, copyIn, type Outcome } from '../lanes/claimed-unit.ts';
import { afterFailure, type FailedTry, givenUp } from '../lanes/retry-schedule.ts';
import type { HandlingTurn } from '../lanes/run-turn.ts';
import { findDroppingRule } from '../routing-rules/find-dropping-rule.ts';
import { type BotWithBackend, deliveryIdOf, idOfReplay, REPLAY_HEADERS, webhookIdOf } from './backend.ts';
import type { BackendConnections } from './backend-connections.ts';
import { callInReply, type ReplyDeps } from './call-in-reply.ts';
import type { SettledUpdate } from './claim-deliveries.ts';
import type { ReplyRoom } from './reply-room.ts';
import { type ResponseExcerpt, responseExcerpt } from './response-excerpt.ts';
import { type Delivery, sendToBackend } from './send-to-backend.ts';
import { NOT_SIGNED, signDelivery } from './sign-delivery.ts';

export type DeliverDeps = ReplyDeps & {
  directory: BotDirectory;
  backends: Pick<BackendConnections, 'to'>;
  replyRoom: ReplyRoom;
  /** Null when tracing is off. */
  tracing: Tracing | null;
  measure: MeasurePush;
};

export type MeasurePush = {
  /** An attempt has ended. */
  sent(outcome: Delivery['outcome'], tookMs: number): void;
  delivered(unit: ClaimedUnit, nowMs: number): void;
};

/** Sends one update to the backend, executes the call that its answer may contain, and returns the outcome. */
export async function deliverUpdate(
  deps: DeliverDeps,
  backend: BotWithBackend,
  unit: ClaimedUnit,
  { lease, cancel }: HandlingTurn,
): Promise<SettledUpdate> {
  // A unit of push has one update; only units of rules may be albums.
  const [update] = unit.updates;
  if (!lease.ownsTurn()) return { unit, outcome: 'returned' };
  // A rule keeps an update from the bot's own backend; programs have kinds of their own.
  const rule = backend.program === undefined ? await findDroppingRule(deps, backend, update) : null;
  const copy = copyIn(unit);
  const countsHit = copy === undefined && !rulesMatchInTurns(backend);
  if (rule !== null) return { ...dropped(deps, backend, unit), hits: countsHit ? [rule.id] : [] };
  if (!isOfWebhookToken(backend, update.raw)) return dropped(deps, backend, unit);
  // It may have waited in its lane since before the takeover.
  if (copy !== undefined && (await isHeldFrom(deps, backend, update.raw))) {
    return dropped(deps, backend, unit, TAKEN_OVER);
  }
  const begunAtMs = deps.clock.nowMs();
  const span = beginSpan(deps, backend, unit);
  const headers = headersOf(backend, unit, begunAtMs);
  const held = deps.replyRoom.begin(backend.id);
  try {
    const delivery: Delivery =
      headers === null
        ? { outcome: 'failed', code: 'not_signed', reason: NOT_SIGNED }
        : await sendToBackend(
            deps.backends.to(backend),
            backend,
            { ...update, headers, ...(span === null ? {} : { traceparent: span.traceparent }) },
            cancel,
            held,
          );
    if (span !== null) endSpan(span, delivery);
    if (copy === undefined) deps.measure.sent(delivery.outcome, deps.clock.nowMs() - begunAtMs);
    if (delivery.outcome === 'aborted' && copy === undefined) return { unit, outcome: 'returned' };
    const ended = delivery.outcome === 'aborted' ? BROKEN_OFF : delivery;
    const attempt = attemptOf(backend, unit, ended, begunAtMs, deps.clock.nowMs());
    if (ended.outcome !== 'delivered') {
      const excerpt = excerptOf(backend, ended);
      return {
        unit,
        attempts: [attempt],
        excerpt,
        ...(copy === undefined ? afterFailedDelivery(unit, ended, excerpt, deps.clock.nowMs()) : COPY_ENDED),
      };
    }
    if (copy === undefined) deps.measure.delivered(unit, deps.clock.nowMs());
    const called = await callInReply(deps, backend, ended);
    const attempts = [{ ...attempt, ...called }];
    return { unit, attempts, ...(copy === undefined ? { outcome: 'delivered' } : COPY_ENDED) };
  } finally {
    held.release();
  }
}

/** A replayed copy leaves its lane after one attempt, and nothing counts it. */
const COPY_ENDED = { outcome: 'dropped' } as const;
/** The backend may have it, so a copy is not sent again. */
const BROKEN_OFF = { outcome: 'failed', code: 'unreachable', reason: 'Broken off: its worker had to stop' } as const;

/** Null if the secret cannot be opened. The signature covers the id of a copy, too. */
function headersOf(backend: BotWithBackend, unit: ClaimedUnit, atMs: number): Record<string, string> | null {
  const [{ id: updateId, raw: body }] = unit.updates;
  const copy = copyIn(unit);
  const id = copy === undefined ? updateId : idOfReplay(updateId, copy);
  const signature = signDelivery(backend.signing, { id: webhookIdOf(backend, id), atMs, body });
  if (signature === null || copy === undefined) return signature;
  return { ...signature, ...REPLAY_HEADERS, 'Flotilla-Delivery-Id': deliveryIdOf(backend, id) };
}

/**
 * A token that is limited to chats set the webhook: what waits from before its filter, and business messages of the
 * same chats, are not for it.
 */
function isOfWebhookToken({ program }: BotWithBackend, raw: string): boolean {
  const token = program?.tokens.find(({ id }) => id === program.webhook_token_id);
  const places = token === undefined ? null : placesOf(token);
  return places === null || isUpdateWithin(places, raw);
}

/** An update whose intake was not traced gets no span. */
function beginSpan(
  { tracing }: DeliverDeps,
  backend: BotWithBackend,
  { updates: [update], retry }: ClaimedUnit,
): Span | null {
  if (tracing === null || update.traceparent === null) return null;
  return tracing.start('deliver update', {
    kind: 'client',
    parent: update.traceparent,
    attributes: {
      'flotilla.bot_id': backend.id,
      'flotilla.update_id': update.id,
      'flotilla.attempt': (retry?.attempts ?? 0) + 1,
    },
  });
}

function endSpan(span: Span, delivery: Delivery): void {
  span.set({ 'flotilla.outcome': delivery.outcome });
  if ('status' in delivery) span.set({ 'http.response.status_code': delivery.status });
  span.end(delivery.outcome === 'delivered' ? 'ok' : 'failed');
}

type FailedDelivery = Extract<Delivery, { outcome: 'refused' | 'failed' }>;

function afterFailedDelivery(
  { updates: [update], retry }: ClaimedUnit,
  delivery: FailedDelivery,
  excerpt: ResponseExcerpt | null,
  nowMs: number,
): Outcome {
  const record = afterFailure(retry, { ...failedTry(delivery), excerpt: excerpt?.text ?? null }, update, nowMs);
  if (record.nextTryAtMs <= update.expiresAtMs) return { outcome: 'retry', atMs: record.nextTryAtMs, record };
  return { outcome: 'dead', failure: { ...givenUp(record), excerpt: excerpt?.text ?? null } };
}

/** Only an answer has one: a request without an answer has its error. */
function excerptOf(backend: BotWithBackend, delivery: FailedDelivery): ResponseExcerpt | null {
  if (delivery.outcome === 'failed') return null;
  return responseExcerpt(backend, delivery);
}

function failedTry(delivery: FailedDelivery): FailedTry {
  const { reason } = delivery;
  if (delivery.outcome === 'failed') return { code: delivery.code, status: null, reason };
  const { status, retryAfterS } = delivery;
  return { code: 'refused', status, reason, ...(retryAfterS === undefined ? {} : { retryAfterS }) };
}

function attemptOf(
  backend: BotWithBackend,
  unit: ClaimedUnit,
  delivery: Exclude<Delivery, { outcome: 'aborted' }>,
  begunAtMs: number,
  endedAtMs: number,
): Attempt {
  return {
    ...beginningOf(backend, unit, begunAtMs),
    status: delivery.outcome === 'failed' ? 0 : delivery.status,
    durationMs: endedAtMs - begunAtMs,
    ...(delivery.outcome === 'delivered' ? { outcome: 'delivered' } : { outcome: 'failed', error: delivery.reason }),
  };
}

function beginningOf(backend: BotWithBackend, unit: ClaimedUnit, atMs: number) {
  const {
    lane,
    updates: [update],
    retry,
  } = unit;
  const replay = copyIn(unit);
  return {
    atMs,
    updateId: update.id,
    chatId: chatOfUpdate(update.kind, lane, update.raw),
    attempt: (retry?.attempts ?? 0) + 1,
    revision: backend.revision,
    ...(replay === undefined ? {} : { replay }),
  };
}

/** Without a line in the journal nobody could tell later why the update was not sent. `error`: the reason, unless a rule or filter dropped it. */
function dropped({ clock }: DeliverDeps, backend: BotWithBackend, unit: ClaimedUnit, error?: string): SettledUpdate {
  const why = error === undefined ? {} : { error };
  const nothing = { outcome: 'dropped', status: 0, durationMs: 0, ...why } as const;
  return { unit, outcome: 'dropped', attempts: [{ ...beginningOf(backend, unit, clock.nowMs()), ...nothing }] };
}
