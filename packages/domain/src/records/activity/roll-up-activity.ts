import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@flotilla/database/connect.ts';
import { allowOnce } from '@flotilla/redis/allow-once.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { HOUR_MS, rollUpTurnKey } from '@flotilla/redis/keys.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import { type ActivityCounts, isActive, noActivity } from './activity-counts.ts';
import { activityStore } from './activity-store.ts';
import { MINUTES_KEPT_MS, readHourOfBots, readHours } from './read-minutes.ts';
import { readWaitingByHour, readWaitingOfBots } from './read-waiting.ts';

export type RollUpDeps = { db: Database; redis: RedisHandles; directory: Pick<BotDirectory, 'all'>; clock: Clock };

const EVERY_MS = 60_000;
/** A process whose clock is behind may still count in an hour that is over. */
const LATE_MS = 120_000;
const BUSY_HOURS_AT_ONCE = 2;
const BOTS_AT_ONCE = 200;
/** A pause between two portions, so that Redis and this process can serve others. */
const PAUSE_MS = 5;

/**
 * Writes the closed hours that Postgres lacks, from the counts in Redis, oldest first. One worker of the fleet does this
 * each minute; if two did, both would write the same. The fleet's row of an hour is written last, so that an hour whose
 * work was interrupted is written again. Returns how many hours were written; rejects when a store cannot be reached.
 */
export async function rollUpActivity(deps: RollUpDeps): Promise<number> {
  const { redis, clock, db } = deps;
  if (!(await allowOnce(redis, rollUpTurnKey, EVERY_MS - 1000))) return 0;
  const open = Math.floor((clock.nowMs() - LATE_MS) / HOUR_MS);
  const oldest = Math.ceil((clock.nowMs() - MINUTES_KEPT_MS) / HOUR_MS);
  const known = await activityStore(db).list(null, oldest * HOUR_MS, open * HOUR_MS);
  const closed = Array.from({ length: open - oldest }, (_, at) => oldest + at);
  const missing = closed.filter((hour) => !known.has(hour * HOUR_MS));
  return missing.length === 0 ? 0 : writeHours(deps, missing);
}

/** Hours without activity cost only their row of the fleet; of the others, a few are written at once. */
async function writeHours(deps: RollUpDeps, missing: number[]): Promise<number> {
  const [counts, waiting] = [await readHours(deps, null, missing), await readWaitingByHour(deps, null, missing)];
  const ofFleet = missing.map((hour): Hour => {
    const atMs = hour * HOUR_MS;
    return { hour, atMs, counts: counts.get(atMs) ?? noActivity(), waiting: waiting.get(atMs) ?? null };
  });
  const busy = ofFleet.filter(saysSomething).slice(0, BUSY_HOURS_AT_ONCE);
  for (const one of busy) await writeBots(deps, one);
  const written = ofFleet.filter((one) => busy.includes(one) || !saysSomething(one));
  await activityStore(deps.db).keep(written.map((one) => ({ ...one, botId: null })));
  return written.length;
}

/** The activity of the fleet in an hour, and the most updates that waited at once; null: nobody looked. */
type Hour = { hour: number; atMs: number; counts: ActivityCounts; waiting: number | null };

/** Updates may wait for hours in which nothing happens. */
function saysSomething({ counts, waiting }: Pick<Hour, 'counts' | 'waiting'>): boolean {
  return isActive(counts) || (waiting ?? 0) > 0;
}

async function writeBots(deps: RollUpDeps, { hour, atMs, waiting: ofFleet }: Hour): Promise<void> {
  const ids = deps.directory.all().map(({ id }) => id);
  // In one order, so that two workers never wait for each other's rows.
  ids.sort((one, other) => one - other);
  for (let from = 0; from < ids.length; from += BOTS_AT_ONCE) {
    const portion = ids.slice(from, from + BOTS_AT_ONCE);
    const [counts, waiting] = await Promise.all([
      readHourOfBots(deps, portion, hour),
      readWaitingOfBots(deps, portion, hour),
    ]);
    const rows = portion.map((botId, at) => {
      return { botId, atMs, counts: counts[at]!, waiting: ofFleet === null ? null : waiting[at]! };
    });
    await activityStore(deps.db).keep(rows.filter(saysSomething));
    await delay(PAUSE_MS);
  }
}
