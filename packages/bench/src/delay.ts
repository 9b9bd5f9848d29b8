import { connectRedis } from '@flotilla/redis/connect.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { type LagSink, startLagSink } from './lag-sink.ts';
import { percentile } from './percentile.ts';
import { partsOf, usageOf } from './process-usage.ts';
import { ms, type Row, report } from './report.ts';

/** Few bots, an ordinary day, and a rush. */
const LOADS = [
  { bots: 20, perSecond: 300, p50: '≤ 6 ms' },
  { bots: 100, perSecond: 500, p50: '≤ 8 ms' },
  { bots: 100, perSecond: 1_000, p50: '≤ 8 ms', p99: '≤ 40 ms' },
];
const CHATS = 10;
const SECONDS = 10;
const ROUNDS = 3;
/** Pushed at once before the first round, which would find code that V8 has not optimised yet. */
const WARMING = 30_000;
/** The least that Redis reports (ms). */
const SYNC_SHOWN_FROM_MS = 10;

/** Measures what an update waits on its way from the platform to the backend at steady rates, and what it costs. */
export async function benchDelay(database: { url: string }): Promise<void> {
  const fleet = await startFleet({ apis: 1, workers: 1 }, { LOG_LEVEL: 'warn' }, database);
  const sink = await startLagSink();
  try {
    const bots: number[] = [];
    const rows: Row[] = [];
    for (const { bots: count, perSecond, ...targets } of LOADS) {
      for (let at = bots.length; at < count; at += 1) {
        bots.push((await fleet.addBot({ proxy_enabled: true, backend_url: `${sink.url}${at}` })).platformId);
      }
      if (rows.length === 0) await push(fleet, sink, { bots, count: WARMING });
      const rounds: Round[] = [];
      for (let round = 0; round < ROUNDS; round += 1) rounds.push(await oneRound(fleet, sink, bots, perSecond));
      rows.push(...rowsOf(`${count} bots, ${perSecond}/s`, rounds, targets));
    }
    report('Platform → accepted → pushed at a steady rate: one api, one worker, and the history is written', rows);
  } finally {
    await fleet.stop();
    await sink.stop();
  }
}

/** Times in ms; processor time of an update in all parts together. */
type Round = { p50: number; p99: number; updateMs: number; longestSyncMs: number };

async function oneRound(fleet: Fleet, sink: LagSink, bots: number[], perSecond: number): Promise<Round> {
  const redis = await connectRedis({ url: fleet.redis.url, log: createLogger({ name: 'bench', level: 'error' }) });
  try {
    await redis.commands.config('SET', 'latency-monitor-threshold', SYNC_SHOWN_FROM_MS);
    await redis.commands.call('LATENCY', 'RESET');
    const parts = await partsOf(fleet);
    const cpuSeconds = () => parts.reduce((sum, part) => sum + usageOf(part).cpuSeconds, 0);
    const [count, before] = [perSecond * SECONDS, cpuSeconds()];
    await push(fleet, sink, { bots, count, perSecond });
    const updateMs = ((cpuSeconds() - before) * 1000) / count;
    const lags = sink.lags();
    // Every update waits for a sync to disk.
    const syncs = (await redis.commands.call('LATENCY', 'HISTORY', 'aof-fsync-always')) as [number, number][];
    const longestSyncMs = Math.max(0, ...syncs.map(([, tookMs]) => tookMs));
    return { p50: percentile(lags, 50), p99: percentile(lags, 99), updateMs, longestSyncMs };
  } finally {
    await redis.close();
  }
}

async function push(
  fleet: Fleet,
  sink: LagSink,
  load: { bots: number[]; count: number; perSecond?: number },
): Promise<void> {
  sink.reset();
  await fleet.control.generate({ chats: CHATS, ...load });
  await waitFor(() => sink.count() >= load.count, { timeoutMs: 300_000, message: `${load.count} updates` });
}

function rowsOf(what: string, rounds: Round[], targets: { p50: string; p99?: string }): Row[] {
  const row = (name: string, figures: number[], target?: string): Row => ({
    what: `${what}: ${name}`,
    figure: `${ms(percentile(figures, 50))} (${figures.map(ms).join(', ')})`,
    ...(target === undefined ? {} : { target }),
  });
  const all = (key: keyof Round) => rounds.map((round) => round[key]);
  return [
    row('p50, the middle of the rounds, and each', all('p50'), targets.p50),
    row('p99', all('p99'), targets.p99),
    row('processor time of an update, all parts', all('updateMs')),
    row('longest sync of the file of Redis (0: below 10 ms)', all('longestSyncMs')),
  ];
}
