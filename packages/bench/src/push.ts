import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { compareClaims } from './compare-claims.ts';
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
/** To read the metrics takes a worker 5 ms, so it is not done more often while the rest is being stored. */
const STORED_READ_EVERY_MS = 50;

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
    const quietLags = await besideBusy(fleet, sink, bots);
    const [alone, journal] = [await compareClaims(1), await compareClaims(CHATS)];
    const deliveryUs =
      1e6 /
      percentile(
        warm.map(({ pushed }) => pushed),
        50,
      );
    const journalUs = journal.withUs - journal.withoutUs + journal.lineUs;
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
        {
          what: `lag of a bot with 1/s beside one with ${QUEUED.toLocaleString('en')} queued, p99`,
          figure: ms(percentile(quietLags, 99)),
          target: '≤ 100 ms',
        },
        {
          what: `to settle a delivery, within Redis, ${CHATS} at once: with its attempt, and without`,
          figure: `${journal.withUs.toFixed(1)} µs, ${journal.withoutUs.toFixed(1)} µs`,
        },
        {
          what: 'the same alone',
          figure: `${alone.withUs.toFixed(1)} µs, ${alone.withoutUs.toFixed(1)} µs`,
        },
        {
          what: 'to keep and count an attempt, within Redis and in the worker, of a delivery of these rounds',
          figure: `${journalUs.toFixed(1)} µs, ${((journalUs * 100) / deliveryUs).toFixed(1)} %`,
          target: '≤ 5 %',
        },
        { what: 'memory of an attempt in Redis, 100 to 199 of a reader', figure: `${Math.round(journal.bytes)} bytes` },
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
