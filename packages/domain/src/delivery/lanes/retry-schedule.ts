import type { ReasonCode } from '@flotilla/contract/deliveries.ts';
import type { DeliveryFailure } from '../../records/history/delivery-failure.ts';

/** The stored record of an update's failed tries. */
export type RetryRecord = {
  attempts: number;
  /** Failures that doubled the delay; a failure with a Retry-After does not. */
  doublings: number;
  lastStatus: number | null;
  lastError: string;
  reasonCode: ReasonCode;
  lastFailedAtMs: number;
  expiresAtMs: number;
  /** The beginning of the last answer; absent if there was none. */
  excerpt?: string;
  firstFailedAtMs: number;
  nextTryAtMs: number;
};

/** Why a try failed: `code` and `status` are for programs, `reason` is for people. */
export type FailedTry = {
  code: ReasonCode;
  status: number | null;
  reason: string;
  retryAfterS?: number;
  excerpt?: string | null;
};

const LONGEST_RETRY_AFTER_S = 3600;
/** Every lane that fails keeps one. A dead letter of the last try has the whole excerpt. */
const EXCERPT_LENGTH = 256;
const CAP_FROM_MS = 60_000;
const CAP_TO_MS = 120_000;

/**
 * The platform's own schedule (tdlib/telegram-bot-api, WebhookActor.cpp): the first failure is retried at once, then
 * after 2, 4, 8 … s, at most after a random 60 to 120 s. A Retry-After replaces the delay and does not double it.
 */
export function afterFailure(
  before: RetryRecord | null,
  failure: FailedTry,
  update: { expiresAtMs: number },
  nowMs: number,
  random: () => number = Math.random,
): RetryRecord {
  const doublings = before?.doublings ?? 0;
  // At the platform too, 0 names no delay. Otherwise a backend could ask for tries without a pause.
  const named = failure.retryAfterS === 0 ? undefined : failure.retryAfterS;
  const grownMs =
    doublings === 0 ? 0 : Math.min(1000 * 2 ** doublings, CAP_FROM_MS + random() * (CAP_TO_MS - CAP_FROM_MS));
  const delayMs = named === undefined ? grownMs : Math.min(Math.max(named, 0), LONGEST_RETRY_AFTER_S) * 1000;
  return {
    attempts: (before?.attempts ?? 0) + 1,
    doublings: named === undefined ? doublings + 1 : doublings,
    lastStatus: failure.status,
    lastError: failure.reason,
    reasonCode: failure.code,
    lastFailedAtMs: nowMs,
    expiresAtMs: update.expiresAtMs,
    ...(failure.excerpt ? { excerpt: failure.excerpt.slice(0, EXCERPT_LENGTH).toWellFormed() } : {}),
    firstFailedAtMs: before?.firstFailedAtMs ?? nowMs,
    nextTryAtMs: Math.round(nowMs + delayMs),
  };
}

/** For an update that would expire before its next try: its dead letter has the failure of its last try. */
export function givenUp(record: RetryRecord): DeliveryFailure {
  return {
    code: record.reasonCode,
    reason: record.lastError,
    attempts: record.attempts,
    lastStatus: record.lastStatus,
    firstFailedAtMs: record.firstFailedAtMs,
    lastFailedAtMs: record.lastFailedAtMs,
    destinations: [],
    excerpt: record.excerpt ?? null,
  };
}
