import type { DeliveryFailure } from '../../records/history/delivery-failure.ts';
import type { Attempt } from '../../records/journal/attempt-line.ts';
import type { RetryRecord } from './retry-schedule.ts';

export type ClaimedUpdate = {
  id: number;
  raw: string;
  kind: string;
  /** Both of this process's clock. */
  acceptedAtMs: number;
  expiresAtMs: number;
  /** Of the span in which it was accepted; null when its intake was not traced. */
  traceparent: string | null;
};

/** The updates that a turn claims from a lane at once and handles together: one update, or for rules an album. */
export type ClaimedUnit = {
  lane: string;
  /**
   * The name of its first update in the lane: the update id, `r<dead letter id>` for a redriven update, or `rc…` for a copy
   * that somebody replays.
   */
  unitId: string;
  /** Oldest first. */
  updates: [ClaimedUpdate, ...ClaimedUpdate[]];
  /** Null when no try has failed. */
  retry: RetryRecord | null;
  /** JSON of its progress; '' before the first one, and always for push. */
  progress: string;
};

/** The outcome of a unit. The scripts use the same names. */
export type Outcome =
  /** All of it is done, or there was nothing to do. */
  | { outcome: 'delivered' }
  /** A rule drops it: the backend does not get it. */
  | { outcome: 'dropped' }
  /** A try failed, which `record` counts; the next one is at `atMs`. */
  | { outcome: 'retry'; atMs: number; record: RetryRecord }
  /** It waits until `atMs` for its pace, a store or the platform's word. No try failed, so none is counted. */
  | { outcome: 'waits'; atMs: number }
  | { outcome: 'dead'; failure: DeliveryFailure }
  /** Our own code failed. The unit is begun again, until it was begun three times. */
  | { outcome: 'crashed'; atMs: number }
  /** Given back, not begun or broken off by us: due again at once. No try is counted; what was sent may be sent again. */
  | { outcome: 'returned' };

/** `attempts`: that were made for it. `hits`: ids of the rules that acted on it and are to be counted now. */
export type SettledUnit = { unit: ClaimedUnit; attempts?: Attempt[]; hits?: readonly number[] } & Outcome;

/** The beginning of the names of updates that the log does not hand over: redriven ones, and copies. */
export const REDRIVEN_PREFIX = 'r';
/** The beginning of the names of copies in their lanes. Scripts take them for redriven updates, which the log does not have. */
export const COPY_PREFIX = 'rc';

/** The name of the copy that it is, undefined for any other unit. */
export function copyIn({ unitId }: Pick<ClaimedUnit, 'unitId'>): string | undefined {
  return unitId.startsWith(COPY_PREFIX) ? unitId : undefined;
}
