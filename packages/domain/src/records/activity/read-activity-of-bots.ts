import { HOUR_MS } from '@flotilla/redis/keys.ts';
import { activityStore } from './activity-store.ts';
import type { ActivityDeps } from './read-activity.ts';
import { readHourOfBots } from './read-minutes.ts';
import { readQualityOfBots } from './read-readers.ts';
import type { Quality } from './reader-counts.ts';

type BotWithReaders = { botId: number; readers: readonly string[] };
/** `delivered`: by hour, the present one last. */
export type ShortActivity = { bot_id: number; delivered: number[]; quality: Quality | null };

const HOURS = 24;

/** How bots did in the last 24 hours, and how their attempts went in the last one. In the order of the bots. */
export async function readActivityOfBots(
  deps: ActivityDeps,
  bots: readonly BotWithReaders[],
): Promise<ShortActivity[]> {
  if (bots.length === 0) return [];
  const ids = bots.map(({ botId }) => botId);
  const present = Math.floor(deps.clock.nowMs() / HOUR_MS);
  const first = present - HOURS + 1;
  const store = activityStore(deps.db);
  const [written, rows, qualities] = await Promise.all([
    store.list(null, first * HOUR_MS, present * HOUR_MS),
    store.deliveredOf(ids, first * HOUR_MS),
    readQualityOfBots(deps, bots),
  ]);
  const delivered = new Map(ids.map((id) => [id, new Array<number>(HOURS).fill(0)]));
  for (const { bot_id, atMs, count } of rows) delivered.get(bot_id)![Math.round(atMs / HOUR_MS) - first] = count;
  for (let hour = first; hour <= present; hour += 1) {
    if (written.has(hour * HOUR_MS)) continue;
    const counts = await readHourOfBots(deps, ids, hour);
    for (const [at, id] of ids.entries()) delivered.get(id)![hour - first] = counts[at]!.delivered;
  }
  return ids.map((bot_id, at) => ({ bot_id, delivered: delivered.get(bot_id)!, quality: qualities[at]! }));
}
