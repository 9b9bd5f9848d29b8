/** The activity of a bot, or of the whole fleet, in a minute or an hour. */
export type ActivityCounts = {
  /** Updates that were accepted. */
  in: number;
  /** Updates that a backend accepted, that rules sent on, or that the default consumer acknowledged. */
  delivered: number;
  /** Updates that a reader gave up: they became dead letters. */
  failed: number;
  /** Attempts at delivery that failed and will be repeated. */
  retried: number;
  /** Bot API calls for the history. */
  calls: number;
};

/** The order in which scripts/lib/activity.lua numbers them. */
export const COUNTS = ['in', 'delivered', 'failed', 'retried', 'calls'] as const satisfies (keyof ActivityCounts)[];

export const noActivity = (): ActivityCounts => ({ in: 0, delivered: 0, failed: 0, retried: 0, calls: 0 });

export function addActivity(sum: ActivityCounts, counts: ActivityCounts): void {
  for (const name of COUNTS) sum[name] += counts[name];
}

/** The fields of a minute of the hour in a hash of that hour, in the order of COUNTS. */
export function fieldsOfMinute(minute: number): number[] {
  return COUNTS.map((_, place) => minute * COUNTS.length + place);
}

/** The count in one field of such a hash, and the minute of the hour. */
export function countOfField(field: number): { minute: number; name: keyof ActivityCounts } {
  return { minute: Math.floor(field / COUNTS.length), name: COUNTS[field % COUNTS.length]! };
}

export function isActive(counts: ActivityCounts): boolean {
  return COUNTS.some((name) => counts[name] > 0);
}
