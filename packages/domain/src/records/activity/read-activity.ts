import type { Database } from '@flotilla/database/connect.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { HOUR_MS } from '@flotilla/redis/keys.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import { ACTIVITY_DAYS } from '../retention/remove-expired.ts';
import { type ActivityCounts, noActivity } from './activity-counts.ts';
import { activityStore } from './activity-store.ts';
import { type CountsByTime, MINUTE_MS, MINUTES_KEPT_MS, readHours, readMinutes } from './read-minutes.ts';
import { readWaiting, readWaitingByHour, type WaitingByTime } from './read-waiting.ts';

export type ActivityDeps = { db: Database; redis: RedisHandles; clock: Clock };

export type ActivityQuery = {
  /** null: the whole fleet. */
  botId: number | null;
  step: 'minute' | 'hour';
  /** Unix seconds; undefined: an hour of minutes, or a day of hours. */
  fromS?: number | undefined;
  /** Unix seconds; undefined, or after now: up to now. */
  toS?: number | undefined;
};

export type ActivityPoint = ActivityCounts & {
  atMs: number;
  /** Updates that waited when the minute was sampled, or the most of the hour; absent where nobody looked. */
  waiting?: number;
};

const STEP_MS = { minute: MINUTE_MS, hour: HOUR_MS };
const KEPT_MS = { minute: MINUTES_KEPT_MS, hour: ACTIVITY_DAYS * 24 * HOUR_MS };
const SHOWN_MS = { minute: HOUR_MS, hour: 24 * HOUR_MS };

/**
 * The activity of each minute or hour in a span of time, the current one included; zeros where nothing happened. Throws
 * FlotillaError('bad_request') for a span that is too far back or ends before it begins; rejects without the stores.
 */
export async function readActivity(deps: ActivityDeps, query: ActivityQuery): Promise<ActivityPoint[]> {
  const { botId, step } = query;
  const range = rangeOf(query, deps.clock.nowMs());
  const { counts, waiting } =
    step === 'minute' ? await minutesOf(deps, botId, range) : await hoursOf(deps, botId, range);
  const points: ActivityPoint[] = [];
  for (let atMs = range.fromMs; atMs < range.toMs; atMs += STEP_MS[step]) {
    const waited = waiting.get(atMs);
    points.push({ atMs, ...(counts.get(atMs) ?? noActivity()), ...(waited === undefined ? {} : { waiting: waited }) });
  }
  return points;
}

type Range = { fromMs: number; toMs: number };

/** The steps that begin in the time that was asked for, or contain its begin. */
function rangeOf({ step, fromS, toS }: ActivityQuery, nowMs: number): Range {
  const stepMs = STEP_MS[step];
  const down = (ms: number) => ms - (ms % stepMs);
  const toMs = toS === undefined ? nowMs + 1 : Math.min(toS * 1000, nowMs + 1);
  const fromMs = down(fromS === undefined ? toMs - 1 - SHOWN_MS[step] + stepMs : fromS * 1000);
  if (fromMs >= toMs) throw refusedInput('from', 'must be before `to`, and not after now');
  if (fromMs < down(nowMs - KEPT_MS[step])) throw refusedInput('from', TOO_OLD[step]);
  return { fromMs, toMs };
}

const TOO_OLD = {
  minute: 'is too far back: minutes are kept for 49 hours. `step=hour` reaches back 90 days',
  hour: `is too far back: hours are kept for ${ACTIVITY_DAYS} days`,
};

type Found = { counts: CountsByTime; waiting: WaitingByTime };

async function minutesOf(deps: ActivityDeps, botId: number | null, range: Range): Promise<Found> {
  const hours = hoursWithin(range);
  const [counts, waiting] = [await readMinutes(deps, botId, hours), await readWaiting(deps, botId, hours)];
  return { counts, waiting };
}

/** Hours that are not in Postgres yet come from Redis. */
async function hoursOf(deps: ActivityDeps, botId: number | null, range: Range): Promise<Found> {
  const store = activityStore(deps.db);
  const written = await store.list(null, range.fromMs, range.toMs);
  const ofBot = botId === null ? written : await store.list(botId, range.fromMs, range.toMs);
  const counts: CountsByTime = new Map([...ofBot].map(([atMs, row]) => [atMs, row.counts]));
  const waiting: WaitingByTime = new Map();
  // A bot without a row did nothing, and nothing waited for it if anybody looked at the fleet.
  for (const [atMs, fleet] of written) {
    const row = ofBot.get(atMs) ?? { waiting: fleet.waiting && 0 };
    if (row.waiting !== null) waiting.set(atMs, row.waiting);
  }
  const keptFromMs = deps.clock.nowMs() - MINUTES_KEPT_MS;
  const missing = hoursWithin(range).filter((hour) => hour * HOUR_MS >= keptFromMs && !written.has(hour * HOUR_MS));
  for (const [atMs, found] of await readHours(deps, botId, missing)) counts.set(atMs, found);
  for (const [atMs, most] of await readWaitingByHour(deps, botId, missing)) waiting.set(atMs, most);
  return { counts, waiting };
}

function hoursWithin({ fromMs, toMs }: Range): number[] {
  const first = Math.floor(fromMs / HOUR_MS);
  return Array.from({ length: Math.ceil(toMs / HOUR_MS) - first }, (_, at) => first + at);
}
