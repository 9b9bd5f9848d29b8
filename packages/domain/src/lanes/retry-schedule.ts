import type { ReasonCode } from '@flotilla/contract/deliveries.ts';
import type { DeliveryFailure } from '../update-log/delivery-failure.ts';

/** What is remembered of an update whose delivery has failed. */
export type RetryRecord = {
  attempts: number;
  /** Failures that advanced the doubling; a Retry-After does not. */
  doublings: number;
  lastStatus: number | null;
  lastError: string;
  /** These three are absent in a record of an earlier release. */
  reasonCode?: ReasonCode;
  lastFailedAtMs?: number;
  expiresAtMs?: number;
  firstFailedAtMs: number;
  nextTryAtMs: number;
};

/** How a try failed; `code` and `status` for programs, `reason` for people. */
export type FailedTry = { code: ReasonCode; status: number | null; reason: string; retryAfterS?: number };

const LONGEST_RETRY_AFTER_S = 3600;
const CAP_FROM_MS = 60_000;
const CAP_TO_MS = 120_000;

/**
 * The platform's own schedule (tdlib/telegram-bot-api, WebhookActor.cpp): the first failure is retried at once, then
 * after 2, 4, 8 … s, each capped by a random 60 to 120 s; a Retry-After replaces the delay and leaves the doubling.
 */
export function afterFailure(
  before: RetryRecord | null,
  failure: FailedTry,
  update: { expiresAtMs: number },
  nowMs: number,
  random: () => number = Math.random,
): RetryRecord {
  const doublings = before?.doublings ?? 0;
  const named = failure.retryAfterS;
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
    firstFailedAtMs: before?.firstFailedAtMs ?? nowMs,
    nextTryAtMs: Math.round(nowMs + delayMs),
  };
}

/** The end of an update whose next try would come after its time: it failed as its last try did. */
export function givenUp(record: RetryRecord): DeliveryFailure {
  return {
    code: record.reasonCode ?? 'unknown',
    reason: record.lastError,
    attempts: record.attempts,
    lastStatus: record.lastStatus,
    firstFailedAtMs: record.firstFailedAtMs,
    lastFailedAtMs: record.lastFailedAtMs ?? null,
    destinations: [],
  };
}
