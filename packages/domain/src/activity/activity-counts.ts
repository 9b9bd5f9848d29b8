/** What a bot, or the whole fleet, did in a minute or an hour. */
export type ActivityCounts = {
  /** Updates that were accepted. */
  in: number;
  /** Updates that the backend accepted, or that the default consumer acknowledged. */
  delivered: number;
  /** Updates for the backend that became dead letters. */
  failed: number;
  /** Attempts at delivery that failed and will be repeated. */
  retried: number;
  /** Bot API calls for the history. */
  calls: number;
};

/** The order in which scripts/lib/activity.lua writes them. */
export const COUNTS = ['in', 'delivered', 'failed', 'retried', 'calls'] as const satisfies (keyof ActivityCounts)[];

export const noActivity = (): ActivityCounts => ({ in: 0, delivered: 0, failed: 0, retried: 0, calls: 0 });

export function addActivity(sum: ActivityCounts, counts: ActivityCounts): void {
  for (const name of COUNTS) sum[name] += counts[name];
}

const SPACE = 32;
const ZERO = 48;

/** Adds the text that Redis keeps for a minute. Read without `split`, because a day of the fleet has 100,000 of them. */
export function addText(sum: ActivityCounts, text: string): void {
  let [at, number] = [0, 0];
  for (let index = 0; index <= text.length; index += 1) {
    const code = index < text.length ? text.charCodeAt(index) : SPACE;
    if (code !== SPACE) {
      number = number * 10 + code - ZERO;
      continue;
    }
    sum[COUNTS[at]!] += number;
    [at, number] = [at + 1, 0];
  }
}

export function isActive(counts: ActivityCounts): boolean {
  return COUNTS.some((name) => counts[name] > 0);
}
