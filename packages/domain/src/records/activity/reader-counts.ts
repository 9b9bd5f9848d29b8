import type { Attempt } from '../journal/attempt-line.ts';

/** The activity of a reader that sends updates in a minute or an hour. */
export type ReaderCounts = {
  /** Updates that it has delivered. */
  delivered: number;
  /** Updates that it gave up: dead letters. */
  failed: number;
  /** Updates that wait for another attempt after one that failed. */
  retried: number;
  attempts: number;
  failedAttempts: number;
  /** Attempts by their duration: `bucketOf`. */
  buckets: number[];
};

/** Fields a minute of the hour, as scripts/lib/activity.lua numbers them. */
export const READER_PLACES = 56;
const FAILED_ATTEMPTS = 3;
const FIRST_BUCKET = 4;
const BUCKETS = READER_PLACES - FIRST_BUCKET;

const BUCKETS_A_DOUBLING = 3;

/** By factors, from 1 ms on to two minutes: a duration that is estimated from them is at most a quarter off. */
export function bucketOf(durationMs: number): number {
  return durationMs <= 1 ? 0 : Math.min(BUCKETS - 1, Math.ceil(BUCKETS_A_DOUBLING * Math.log2(durationMs)));
}

export const noReaderCounts = (): ReaderCounts => ({
  ...{ delivered: 0, failed: 0, retried: 0, attempts: 0, failedAttempts: 0 },
  buckets: new Array<number>(BUCKETS).fill(0),
});

/** Places and counts of attempts, as scripts take them. */
export function measuredText(attempts: readonly Pick<Attempt, 'outcome' | 'durationMs'>[]): string {
  const counts = new Map<number, number>();
  const add = (place: number) => counts.set(place, (counts.get(place) ?? 0) + 1);
  for (const { outcome, durationMs } of attempts) {
    if (outcome === 'dropped') continue;
    add(FIRST_BUCKET + bucketOf(durationMs));
    if (outcome === 'failed') add(FAILED_ATTEMPTS);
  }
  return [...counts].map(([place, count]) => `${place} ${count}`).join(' ');
}

/** Adds what a hash of a reader says at a place. Rules count what they have delivered, backends by their attempts. */
export function addPlace(sum: ReaderCounts, reader: string, place: number, count: number): void {
  if (place >= FIRST_BUCKET) {
    sum.buckets[place - FIRST_BUCKET]! += count;
    sum.attempts += count;
    if (reader !== 'rules') sum.delivered += count;
  } else if (place === FAILED_ATTEMPTS) {
    sum.failedAttempts += count;
    if (reader !== 'rules') sum.delivered -= count;
  } else {
    sum[(['delivered', 'failed', 'retried'] as const)[place]!] += count;
  }
}

/** How the attempts went: the share that succeeded, and durations (ms) that half and 95 % of them did not exceed. */
export type Quality = { success_ratio: number; p50_ms: number; p95_ms: number };

/** Null without attempts. */
export function qualityOf({ attempts, failedAttempts, buckets }: ReaderCounts): Quality | null {
  if (attempts === 0) return null;
  const success_ratio = Math.round((1 - failedAttempts / attempts) * 10_000) / 10_000;
  return { success_ratio, p50_ms: quantile(buckets, 0.5 * attempts), p95_ms: quantile(buckets, 0.95 * attempts) };
}

/** The duration (ms) that so many attempts did not exceed; within a bucket it is assumed to grow evenly by factors. */
function quantile(buckets: readonly number[], wanted: number): number {
  let before = 0;
  for (const [bucket, count] of buckets.entries()) {
    if (count > 0 && before + count >= wanted) {
      return Math.round(bucket === 0 ? 1 : 2 ** ((bucket - 1 + (wanted - before) / count) / BUCKETS_A_DOUBLING));
    }
    before += count;
  }
  return 0;
}
