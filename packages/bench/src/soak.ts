import { setTimeout as delay } from 'node:timers/promises';
import { startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { startEverydayLoad } from './everyday-load.ts';
import { percentile } from './percentile.ts';
import { type Part, partsOf, usageOf } from './process-usage.ts';
import { ms, ratio, report } from './report.ts';

const PER_SECOND = 500;
const BOTS = 100;
const CHATS = 10;
const MINUTES = 10;
const SAMPLE_MS = 5_000;
/** Caches, pools and compiled code fill up in this time, so it does not count as growth. */
const WARM_UP_MINUTES = 2;

type Minute = { memoryMb: Map<string, number>; p50: number; p99: number; received: number };

/** Ten minutes of 500 updates a second. Reports the memory of each part and the lag by minute. */
export async function benchSoak(database: { url: string; rows?: number }): Promise<void> {
  const minutes = database.rows ?? MINUTES;
  const fleet = await startFleet({ apis: 2, workers: 2 }, { LOG_LEVEL: 'warn' }, database);
  const load = await startEverydayLoad(fleet, BOTS);
  const total = PER_SECOND * 60 * minutes;
  try {
    const parts = await partsOf(fleet);
    const cpuBefore = parts.map((part) => usageOf(part).cpuSeconds);
    await fleet.control.generate({ bots: load.bots, chats: CHATS, count: total, perSecond: PER_SECOND });
    const curve: Minute[] = [];
    for (let minute = 1; minute <= minutes; minute += 1) {
      const before = load.received();
      const memoryMb = await meanMemoryOfAMinute(parts);
      const lags = load.takeLags();
      const received = load.received() - before;
      curve.push({ memoryMb, p50: percentile(lags, 50), p99: percentile(lags, 99), received });
      process.stdout.write(`  minute ${minute} of ${minutes}\n`);
    }
    const cores = parts.map((part, at) => (usageOf(part).cpuSeconds - cpuBefore[at]!) / (60 * minutes));
    await waitFor(() => load.received() >= total, { timeoutMs: 60_000, message: 'all updates' }).catch(() => undefined);
    const subject = `Soak, ${PER_SECOND} updates/s for ${minutes} minutes, ${BOTS} bots (half pushed to, half polling), 2 api, 2 workers`;
    report(subject, [
      { what: 'received', figure: `${load.received()} of ${total}`, target: 'all' },
      { what: 'calls sent, failed', figure: `${load.sent()}, ${load.failures().length}`, target: '0 failed' },
      ...parts.map(({ name }, at) => memoryRow(name, curve, cores[at]!)),
      { what: 'lag p50, by minute', figure: curve.map(({ p50 }) => ms(p50)).join(', ') },
      { what: 'lag p99, by minute', figure: curve.map(({ p99 }) => ms(p99)).join(', ') },
    ]);
    for (const failure of new Set(load.failures())) process.stdout.write(`  failed: ${failure}\n`);
  } finally {
    await load.stop();
    await fleet.stop();
  }
}

async function meanMemoryOfAMinute(parts: Part[]): Promise<Map<string, number>> {
  const samples: Map<string, number>[] = [];
  for (const endsAt = performance.now() + 60_000; performance.now() < endsAt; ) {
    await delay(Math.min(SAMPLE_MS, Math.max(0, endsAt - performance.now())));
    samples.push(new Map(parts.map((part) => [part.name, usageOf(part).memoryMb])));
  }
  return new Map(parts.map(({ name }) => [name, mean(samples.map((sample) => sample.get(name) ?? 0))]));
}

/** Memory by minute, and the ratio of the last two minutes to the first two after the warm-up: 1.00 is flat. */
function memoryRow(name: string, curve: Minute[], cores: number) {
  const values = curve.map(({ memoryMb }) => memoryMb.get(name) ?? 0);
  const warm = values.slice(WARM_UP_MINUTES);
  const growth = mean(warm.slice(-2)) / mean(warm.slice(0, 2));
  const shown = values.map((value) => value.toFixed(0)).join(' ');
  return { what: `${name}, MB by minute`, figure: `${shown}; end/begin ${ratio(growth)}; ${cores.toFixed(2)} cores` };
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
