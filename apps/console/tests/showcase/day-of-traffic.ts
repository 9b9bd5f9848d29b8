import type { Database } from '@flotilla/database/connect.ts';
import { activityStore } from '@flotilla/domain/records/activity/activity-store.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, figureKeys, HOUR_MS, shardKeys, shardOf } from '@flotilla/redis/keys.ts';
import type { ShownBot } from './bots.ts';

const MINUTE_MS = 60_000;
const MINUTES = 25 * 60;
const COUNTS = 5;
const READER_PLACES = 56;
/** Of countOfReader: attempts that took about 25, 50 and 130 ms. */
const DURATIONS = [4 + 14, 4 + 17, 4 + 21] as const;
const FAILED_ATTEMPTS = 3;
const AT_ONCE = 50;
/** The breaker of the ill backend has been open for so many minutes. */
export const ILL_FOR_MINUTES = 22;

/** The activity of the bots in each minute of the last day, as the scripts of Redis count it, busy at noon and quiet at night. */
export async function storeDay(
  db: Database,
  redis: Pick<RedisHandles, 'runMany'>,
  bots: readonly ShownBot[],
  localHourOf: (atMs: number) => number,
) {
  const nowMinute = Math.floor(Date.now() / MINUTE_MS);
  const sums = new Map<string, Map<number, number>>();
  const add = (key: string, field: number, count: number) => {
    if (count === 0) return;
    const hash = sums.get(key) ?? new Map<number, number>();
    sums.set(key, hash.set(field, (hash.get(field) ?? 0) + count));
  };
  for (const bot of bots) {
    for (let ago = 1; ago <= MINUTES; ago += 1) {
      const atMs = (nowMinute - ago) * MINUTE_MS;
      const [hour, minute] = [Math.floor(atMs / HOUR_MS), Math.floor((atMs % HOUR_MS) / MINUTE_MS)];
      const came = countOf((bot.perHour / 60) * busy(localHourOf(atMs)), bot.id * 7_919 + ago);
      const ill = bot.reads === 'ill-backend' && ago <= ILL_FOR_MINUTES;
      const failed = !ill && bot.perHour > 1_000 && (ago * 31 + bot.id) % 47 === 0 ? 2 : 0;
      const counts = [came, ill ? 0 : came, ill && ago % 9 === 0 ? 1 : 0, ill ? 6 : failed, Math.round(came * 0.8)];
      for (const [place, count] of counts.entries()) {
        add(botKeys(bot.id).activity(hour), minute * COUNTS + place, count);
        add(shardKeys(shardOf(bot.id)).activity(hour), minute * COUNTS + place, count);
      }
      const reader = botKeys(bot.id).readerMinutes(bot.reads === 'poller' ? 'pull' : 'push', hour);
      if (bot.reads !== 'poller') {
        const attempts = ill ? 6 : came + failed;
        add(reader, minute * READER_PLACES + FAILED_ATTEMPTS, ill ? 6 : failed);
        for (const [at, share] of [0.6, 0.3, 0.1].entries()) {
          add(reader, minute * READER_PLACES + DURATIONS[at]!, Math.round(attempts * share));
        }
      }
      const waits = ill ? Math.round((ILL_FOR_MINUTES - ago) * 4) : 0;
      add(botKeys(bot.id).waiting(hour), minute, waits);
      add(figureKeys.waiting(hour), minute, waits + (bot.id % 9 === 0 ? came : 0));
    }
  }
  await storeHours(db, sums, bots, nowMinute);
  const hashes = [...sums];
  for (let from = 0; from < hashes.length; from += AT_ONCE) {
    await redis.runMany(
      hashes.slice(from, from + AT_ONCE).flatMap(([key, hash]) => [
        ['hset', key, ...[...hash].flat()],
        ['expire', key, 26 * 3600],
      ]),
    );
  }
}

/** Of hours that are over, what upkeep keeps. */
async function storeHours(
  db: Database,
  sums: ReadonlyMap<string, ReadonlyMap<number, number>>,
  bots: readonly ShownBot[],
  nowMinute: number,
): Promise<void> {
  const thisHour = Math.floor(nowMinute / 60);
  const none = () => [0, 0, 0, 0, 0];
  const ofHour = (key: string) => {
    const counts = none();
    for (const [field, count] of sums.get(key) ?? []) counts[field % COUNTS]! += count;
    return counts;
  };
  const most = (key: string) => Math.max(0, ...(sums.get(key)?.values() ?? []));
  for (let hour = thisHour - 24; hour < thisHour; hour += 1) {
    const ofBots = bots.map(({ id }) => ({ id, counts: ofHour(botKeys(id).activity(hour)) }));
    const fleet = ofBots.reduce((sum, { counts }) => sum.map((count, place) => count + counts[place]!), none());
    const row = (botId: number | null, counts: number[], waiting: number) => {
      const [came = 0, delivered = 0, failed = 0, retried = 0, calls = 0] = counts;
      return { botId, atMs: hour * HOUR_MS, counts: { in: came, delivered, failed, retried, calls }, waiting };
    };
    await activityStore(db).keep([
      row(null, fleet, most(figureKeys.waiting(hour))),
      ...ofBots.map(({ id, counts }) => row(id, counts, most(botKeys(id).waiting(hour)))),
    ]);
  }
}

/** How busy an hour of the day is, from 0 to 1: a rise in the morning, a dip at lunch, a second peak in the evening. */
function busy(hour: number): number {
  const peak = (at: number, width: number) => Math.exp(-(((hour - at) / width) ** 2));
  return 0.06 + 0.8 * peak(11.5, 3) + 0.65 * peak(18.5, 3);
}

/** About the mean, a little different in each minute, and the same in every run. */
function countOf(mean: number, seed: number): number {
  const noise = ((Math.imul(seed ^ (seed >>> 7), 2_654_435_761) >>> 0) / 2 ** 32 - 0.5) * 2;
  return Math.max(0, Math.round(mean * (1 + noise * 0.28)));
}
