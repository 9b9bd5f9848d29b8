import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { type LagSink, startLagSink } from './lag-sink.ts';
import { percentile } from './percentile.ts';
import { ms, perSecond, report } from './report.ts';

const BOTS = 100;
const CHATS = 10;
/** The first burst finds a worker whose code V8 has not optimised yet. */
const FIRST_BURST = 30_000;
const BURST = 60_000;
const QUEUED = 50_000;
const QUIET = 10;
const STEADY = 1_000;
const STEADY_SECONDS = 10;

/** Measures delivery from the platform to the backend through one worker, which writes history as well. */
export async function benchPush(database: { url: string }): Promise<void> {
  const fleet = await startFleet({ apis: 1, workers: 1 }, { LOG_LEVEL: 'warn' }, database);
  const sink = await startLagSink();
  try {
    const bots: number[] = [];
    for (let at = 0; at < BOTS; at += 1) {
      bots.push((await fleet.addBot({ proxy_enabled: true, backend_url: `${sink.url}${at}` })).platformId);
    }
    const first = await burst(fleet, sink, bots, FIRST_BURST);
    const second = await burst(fleet, sink, bots, BURST);
    sink.reset();
    await fleet.control.generate({ bots, chats: CHATS, count: STEADY * STEADY_SECONDS, perSecond: STEADY });
    await untilCount(() => sink.count(), STEADY * STEADY_SECONDS, performance.now());
    const steady = sink.lags();
    const quietLags = await besideBusy(fleet, sink, bots);
    report(
      `Platform → accepted → pushed, ${BOTS} bots, one worker (the simulated platform and the backend share the machine)`,
      [
        { what: `pushed, of ${BURST.toLocaleString('en')}`, figure: second.pushed, target: '≥ 8,000/s' },
        { what: 'pushed and stored in Postgres', figure: second.stored, target: '≥ 8,000/s' },
        {
          what: `the same of the first ${FIRST_BURST.toLocaleString('en')} after the start`,
          figure: `${first.pushed}, ${first.stored}`,
        },
        { what: `lag at ${STEADY}/s, p50`, figure: ms(percentile(steady, 50)) },
        { what: `lag at ${STEADY}/s, p99`, figure: ms(percentile(steady, 99)), target: '≤ 25 ms' },
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

/** The rates at which updates that are there at once are pushed, and pushed and stored. */
async function burst(fleet: Fleet, sink: LagSink, bots: number[], count: number) {
  sink.reset();
  const storedBefore = await stored(fleet);
  const begunAt = performance.now();
  await fleet.control.generate({ bots, chats: CHATS, count });
  const pushedMs = await untilCount(() => sink.count(), count, begunAt);
  const storedMs = await untilCount(async () => (await stored(fleet)) - storedBefore, count, begunAt);
  return { pushed: perSecond((count * 1000) / pushedMs), stored: perSecond((count * 1000) / storedMs) };
}

/** The lags of a quiet bot's updates while a busy bot's backlog is sent to the same backend. */
async function besideBusy(fleet: Fleet, sink: LagSink, [busy, quiet]: number[]): Promise<number[]> {
  sink.reset();
  await fleet.control.generate({ bots: [busy!], chats: CHATS, count: QUEUED });
  await fleet.control.generate({ bots: [quiet!], chats: 1, count: QUIET, perSecond: 1 });
  await untilCount(() => sink.count(), QUEUED + QUIET, performance.now());
  return sink.lags('/1');
}

async function stored(fleet: Fleet): Promise<number> {
  return (await readMetric(fleet.workers[0]!, 'flotilla_history_entries_total')) ?? 0;
}

async function untilCount(count: () => number | Promise<number>, wanted: number, begunAt: number): Promise<number> {
  await waitFor(async () => (await count()) >= wanted, { timeoutMs: 300_000, message: `${wanted} updates` });
  return performance.now() - begunAt;
}
