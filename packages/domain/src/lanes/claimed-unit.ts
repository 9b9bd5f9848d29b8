import type { DeliveryFailure } from '../update-log/delivery-failure.ts';
import type { RetryRecord } from './retry-schedule.ts';

export type ClaimedUpdate = {
  id: number;
  raw: string;
  kind: string;
  acceptedAtMs: number;
  expiresAtMs: number;
  /** Of the span in which it was accepted; null where that was not traced. */
  traceparent: string | null;
};

/** What a turn claims of a lane at once and handles together: an update, for rules also an album. */
export type ClaimedUnit = {
  lane: string;
  /** How its first update is named in the lane: its id, or `r<dead letter id>` when it is sent again. */
  unitId: string;
  /** Oldest first. */
  updates: [ClaimedUpdate, ...ClaimedUpdate[]];
  /** Null when no try has failed. */
  retry: RetryRecord | null;
  /** JSON of how far its handling has come, '' at first; only rules keep any. */
  progress: string;
};

/** What came of a unit; the scripts have the same names for it. */
export type Outcome =
  /** All of it is done, or nothing was to be done. */
  | { outcome: 'delivered' }
  /** A rule keeps it from the backend. */
  | { outcome: 'dropped' }
  /** To be gone on with: it waits for its pace (`record` as it was), or has failed (`record` counts it). */
  | { outcome: 'retry'; atMs: number; record: RetryRecord | null }
  | { outcome: 'dead'; failure: DeliveryFailure }
  /** Our own handling failed: begun again, until it has been begun too often. */
  | { outcome: 'crashed'; atMs: number }
  /** Not begun after all: due again at once, and no try. */
  | { outcome: 'returned' };

export type SettledUnit = { unit: ClaimedUnit } & Outcome;
