import { connectRedis } from '@flotilla/redis/connect.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { type LagSink, startLagSink } from './lag-sink.ts';
import { percentile } from './percentile.ts';
import { ms, perSecond, report } from './report.ts';

const BOTS = 100;
const CHATS = 10;
const BURST = 60_000;
/** Beside a first one, which finds a worker whose code V8 has not optimised yet. */
const BURST_ROUNDS = 3;
const QUEUED = 50_000;
const QUIET = 10;
const STEADY = 1_000;
const STEADY_SECONDS = 10;
const STEADY_ROUNDS = 3;
/** To read the metrics takes a worker 5 ms, so it is not done more often while the rest is being stored. */
const STORED_READ_EVERY_MS = 50;
/** The least that Redis reports (ms). */
const SYNC_SHOWN_FROM_MS = 10;

/** Measures delivery from the platform to the backend through one worker, which writes history as well. */
export async function benchPush(database: { url: string }): Promise<void> {
  const fleet = await startFleet({ apis: 1, workers: 1 }, { LOG_LEVEL: 'warn' }, database);
  const sink = await startLagSink();
  try {
    const bots: number[] = [];
    for (let at = 0; at < BOTS; at += 1) {
      bots.push((await fleet.addBot({ proxy_enabled: true, backend_url: `${sink.url}${at}` })).platformId);
    }
    const first = await burst(fleet, sink, bots, BURST);
    const warm: Burst[] = [];
    for (let round = 0; round < BURST_ROUNDS; round += 1) warm.push(await burst(fleet, sink, bots, BURST));
    const steady: Steady[] = [];
    for (let round = 0; round < STEADY_ROUNDS; round += 1) steady.push(await lagAtSteadyRate(fleet, sink, bots));
    const middle = steady.toSorted((one, other) => one.p99 - other.p99)[Math.floor(STEADY_ROUNDS / 2)]!;
    const quietLags = await besideBusy(fleet, sink, bots);
    report(
      `Platform → accepted → pushed, ${BOTS} bots, one worker (the simulated platform and the backend share the machine)`,
      [
        {
          what: `pushed, of ${BURST.toLocaleString('en')}, the middle of ${BURST_ROUNDS} rounds, and each`,
          figure: middleAndEach(warm.map(({ pushed }) => pushed)),
          target: '≥ 8,000/s',
        },
        {
          what: 'pushed and stored in Postgres, likewise',
          figure: middleAndEach(warm.map(({ stored }) => stored)),
          target: '≥ 8,000/s',
        },
        {
          what: `the same of the first ${BURST.toLocaleString('en')} after the start`,
          figure: `${perSecond(first.pushed)}, ${perSecond(first.stored)}`,
        },
        { what: `lag at ${STEADY}/s, p50, the middle of ${STEADY_ROUNDS} rounds`, figure: ms(middle.p50) },
        {
          what: `lag at ${STEADY}/s, p99, the middle of these, and each`,
          figure: `${ms(middle.p99)} (${steady.map(({ p99 }) => ms(p99)).join(', ')})`,
          target: '≤ 25 ms',
        },
        {
          what: 'longest sync of the file of Redis in each round (0: below 10 ms)',
          figure: steady.map(({ longestSyncMs }) => ms(longestSyncMs)).join(', '),
        },
        {
          what: `lag of a bot with 1/s beside one with ${QUEUED.toLocaleString('en')} queued, p99`,
          figure: ms(percentile(quietLags, 99)),
          target: '≤ 100 ms',
        },
      ],
    );
  } finally {
    await fleet.stop();
    await sink.stop();
  }
}

/** A second. */
type Burst = { pushed: number; stored: number };

/**
 * The rates at which updates that are there at once are pushed, and pushed and stored. The platform makes them all before
 * it hands out the first, so the time begins with the last that was made.
 */
async function burst(fleet: Fleet, sink: LagSink, bots: number[], count: number): Promise<Burst> {
  sink.reset();
  const storedBefore = await stored(fleet);
  await fleet.control.generate({ bots, chats: CHATS, count });
  await untilCount(() => sink.count(), count);
  const { madeAtMs, arrivedAtMs } = sink.ends();
  await untilCount(async () => (await stored(fleet)) - storedBefore, count, STORED_READ_EVERY_MS);
  const storedMs = Date.now() - madeAtMs;
  return { pushed: (count * 1000) / (arrivedAtMs - madeAtMs), stored: (count * 1000) / storedMs };
}

function middleAndEach(rates: number[]): string {
  return `${perSecond(percentile(rates, 50))} (${rates.map(perSecond).join(', ')})`;
}

type Steady = { p50: number; p99: number; longestSyncMs: number };

/** Lags (ms) at a steady rate. Every update waits for a sync to disk, so how long these took is read, too. */
async function lagAtSteadyRate(fleet: Fleet, sink: LagSink, bots: number[]): Promise<Steady> {
  const redis = await connectRedis({ url: fleet.redis.url, log: createLogger({ name: 'bench', level: 'error' }) });
  try {
    await redis.commands.config('SET', 'latency-monitor-threshold', SYNC_SHOWN_FROM_MS);
    await redis.commands.call('LATENCY', 'RESET');
    sink.reset();
    await fleet.control.generate({ bots, chats: CHATS, count: STEADY * STEADY_SECONDS, perSecond: STEADY });
    await untilCount(() => sink.count(), STEADY * STEADY_SECONDS);
    const lags = sink.lags();
    const syncs = (await redis.commands.call('LATENCY', 'HISTORY', 'aof-fsync-always')) as [number, number][];
    const longestSyncMs = Math.max(0, ...syncs.map(([, tookMs]) => tookMs));
    return { p50: percentile(lags, 50), p99: percentile(lags, 99), longestSyncMs };
  } finally {
    await redis.close();
  }
}

/** The lags of a quiet bot's updates while a busy bot's backlog is sent to the same backend. */
async function besideBusy(fleet: Fleet, sink: LagSink, [busy, quiet]: number[]): Promise<number[]> {
  sink.reset();
  await fleet.control.generate({ bots: [busy!], chats: CHATS, count: QUEUED });
  await fleet.control.generate({ bots: [quiet!], chats: 1, count: QUIET, perSecond: 1 });
  await untilCount(() => sink.count(), QUEUED + QUIET);
  return sink.lags('/1');
}

async function stored(fleet: Fleet): Promise<number> {
  return (await readMetric(fleet.workers[0]!, 'flotilla_history_entries_total')) ?? 0;
}

async function untilCount(count: () => number | Promise<number>, wanted: number, pauseMs?: number): Promise<void> {
  const waiting = { timeoutMs: 300_000, message: `${wanted} updates`, ...(pauseMs === undefined ? {} : { pauseMs }) };
  await waitFor(async () => (await count()) >= wanted, waiting);
}
