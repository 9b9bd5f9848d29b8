import type { Database } from '@flotilla/database/connect.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { HOUR_MS } from '@flotilla/redis/keys.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import { ACTIVITY_DAYS } from '../retention/remove-expired.ts';
import { type ActivityCounts, noActivity } from './activity-counts.ts';
import { activityStore } from './activity-store.ts';
import { type CountsByTime, MINUTE_MS, MINUTES_KEPT_MS, readHours, readMinutes } from './read-minutes.ts';
import { READER_MINUTES_KEPT_MS, type ReaderCountsByTime, readReaderCounts } from './read-readers.ts';
import { readWaiting, readWaitingByHour, type WaitingByTime } from './read-waiting.ts';
import { noReaderCounts, type Quality, qualityOf } from './reader-counts.ts';

export type ActivityDeps = { db: Database; redis: RedisHandles; clock: Clock };

export type ActivityQuery = {
  /** null: the whole fleet. `readers`: those that send; `reader`: only what this one did, null for the bot. */
  of: { botId: number; readers: readonly string[]; reader: string | null } | null;
  step: 'minute' | 'hour';
  /** Unix seconds; undefined: an hour of minutes, or a day of hours. */
  fromS?: number | undefined;
  /** Unix seconds; undefined, or after now: up to now. */
  toS?: number | undefined;
};

export type ActivityPoint = ActivityCounts & {
  atMs: number;
  /** Updates that waited when the minute was sampled, or the most of the hour; absent where nobody looked, and of one reader. */
  waiting?: number;
  /** Null without attempts, of the fleet, and of what is older than readers' minutes. */
  quality: Quality | null;
};

const STEP_MS = { minute: MINUTE_MS, hour: HOUR_MS };
const KEPT_MS = { minute: MINUTES_KEPT_MS, hour: ACTIVITY_DAYS * 24 * HOUR_MS };
const SHOWN_MS = { minute: HOUR_MS, hour: 24 * HOUR_MS };

/**
 * The activity of each minute or hour in a span of time, the current one included; zeros where nothing happened. Throws
 * FlotillaError('bad_request') for a span that is too far back or ends before it begins; rejects without the stores.
 */
export async function readActivity(deps: ActivityDeps, query: ActivityQuery): Promise<ActivityPoint[]> {
  const { of, step } = query;
  const range = rangeOf(query, deps.clock.nowMs());
  const ofReaders = of === null ? new Map() : await readersOf(deps, of, range, STEP_MS[step]);
  if (of !== null && of.reader !== null) {
    return pointsOf(range, STEP_MS[step], (atMs) => {
      const { delivered, failed, retried } = ofReaders.get(atMs) ?? noReaderCounts();
      return { ...noActivity(), delivered, failed, retried, quality: qualityAt(ofReaders, atMs) };
    });
  }
  const botId = of?.botId ?? null;
  const { counts, waiting } =
    step === 'minute' ? await minutesOf(deps, botId, range) : await hoursOf(deps, botId, range);
  return pointsOf(range, STEP_MS[step], (atMs) => {
    const waited = waiting.get(atMs);
    const known = { ...(counts.get(atMs) ?? noActivity()), quality: qualityAt(ofReaders, atMs) };
    return waited === undefined ? known : { ...known, waiting: waited };
  });
}

function pointsOf(
  range: Range,
  stepMs: number,
  pointAt: (atMs: number) => Omit<ActivityPoint, 'atMs'>,
): ActivityPoint[] {
  const points: ActivityPoint[] = [];
  for (let atMs = range.fromMs; atMs < range.toMs; atMs += stepMs) points.push({ atMs, ...pointAt(atMs) });
  return points;
}

/** The activity of the given reader, or of all of them together, as far as it is kept. */
function readersOf(
  deps: ActivityDeps,
  { botId, readers, reader }: NonNullable<ActivityQuery['of']>,
  range: Range,
  stepMs: number,
): Promise<ReaderCountsByTime> {
  const fromMs = Math.max(range.fromMs, deps.clock.nowMs() - READER_MINUTES_KEPT_MS);
  const hours = fromMs < range.toMs ? hoursWithin({ ...range, fromMs }) : [];
  return readReaderCounts(deps, botId, reader === null ? readers : [reader], hours, stepMs);
}

function qualityAt(counts: ReaderCountsByTime, atMs: number): Quality | null {
  const found = counts.get(atMs);
  return found === undefined ? null : qualityOf(found);
}

type Range = { fromMs: number; toMs: number };

/** The steps that begin in the time that was asked for, or contain its begin. */
function rangeOf({ of, step, fromS, toS }: ActivityQuery, nowMs: number): Range {
  const stepMs = STEP_MS[step];
  const down = (ms: number) => ms - (ms % stepMs);
  const toMs = toS === undefined ? nowMs + 1 : Math.min(toS * 1000, nowMs + 1);
  const fromMs = down(fromS === undefined ? toMs - 1 - SHOWN_MS[step] + stepMs : fromS * 1000);
  if (fromMs >= toMs) throw refusedInput('from', 'must be before `to`, and not after now');
  if (fromMs < down(nowMs - KEPT_MS[step])) throw refusedInput('from', TOO_OLD[step]);
  if (of?.reader && fromMs < down(nowMs - READER_MINUTES_KEPT_MS)) throw refusedInput('from', TOO_OLD.reader);
  return { fromMs, toMs };
}

const TOO_OLD = {
  minute: 'is too far back: minutes are kept for 49 hours. `step=hour` reaches back 90 days',
  hour: `is too far back: hours are kept for ${ACTIVITY_DAYS} days`,
  reader: 'is too far back: what a reader did is kept for 25 hours',
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
