import type { FailedDestination, ReasonCode } from '@flotilla/contract/deliveries.ts';

/** Why an update was given up, as its dead letter says it; `reason` is for people, and nothing reads it. */
export type DeliveryFailure = {
  code: ReasonCode;
  reason: string;
  attempts: number;
  /** HTTP status of the last answer; null when there was none. */
  lastStatus: number | null;
  /** Unix ms; null when no try has failed. */
  firstFailedAtMs: number | null;
  lastFailedAtMs: number | null;
  /** Of rules: the destinations that never got it; empty for other readers. */
  destinations: FailedDestination[];
};
