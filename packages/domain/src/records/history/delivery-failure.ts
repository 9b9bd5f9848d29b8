import type { FailedDestination, ReasonCode } from '@flotilla/contract/deliveries.ts';

/** Why an update became a dead letter. `reason` is for people; no code reads it. */
export type DeliveryFailure = {
  code: ReasonCode;
  reason: string;
  attempts: number;
  /** HTTP status of the last answer; null when there was none. */
  lastStatus: number | null;
  /** Unix ms; null when no try has failed. */
  firstFailedAtMs: number | null;
  lastFailedAtMs: number | null;
  /** For rules: the destinations that did not receive it; empty for other readers. */
  destinations: FailedDestination[];
  /** The beginning of the last answer of the backend, without secrets; null when there was none. */
  excerpt?: string | null;
};
