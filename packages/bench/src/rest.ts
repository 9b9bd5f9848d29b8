import { connectRedis } from '@flotilla/redis/connect.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { startEverydayLoad } from './everyday-load.ts';
import { coresOf, partsOf } from './process-usage.ts';
import { type Row, report } from './report.ts';

const BOTS = 20;
const SETTLE_SECONDS = 15;
const SECONDS = 60;
const PER_SECOND = 50;

/** Processor time of an api, a worker, Redis and Postgres while nothing happens, and of an update when few come. */
export async function benchRest(database: { url: string }): Promise<void> {
  const fleet = await startFleet({ apis: 1, workers: 1 }, { LOG_LEVEL: 'warn' }, database);
  try {
    const empty = await atRest(fleet);
    const load = await startEverydayLoad(fleet, BOTS);
    const idle = await atRest(fleet);
    const before = load.received();
    const busy = await costOf(fleet, SECONDS, () =>
      fleet.control.generate({ bots: load.bots, chats: 10, count: PER_SECOND * SECONDS, perSecond: PER_SECOND }),
    );
    await waitFor(() => load.received() - before >= PER_SECOND * SECONDS, {
      timeoutMs: 60_000,
      message: 'all updates',
    });
    await load.stop();
    report('At rest: an api and a worker for everything', [
      row('without bots', empty, '≤ 10 ms/s'),
      row(`with ${BOTS} bots, half of which poll`, idle, '≤ 20 ms/s'),
      {
        what: `an update at ${PER_SECOND}/s`,
        figure: `${((busy.cores * 1000) / PER_SECOND).toFixed(2)} ms`,
        target: '≤ 2.5 ms',
      },
    ]);
  } finally {
    await fleet.stop();
  }
}

type AtRest = { cores: number; parts: string; commands: string };

async function atRest(fleet: Fleet): Promise<AtRest> {
  await new Promise((resolve) => setTimeout(resolve, SETTLE_SECONDS * 1000));
  return costOf(fleet, SECONDS, async () => {});
}

async function costOf(fleet: Fleet, seconds: number, begin: () => Promise<unknown>): Promise<AtRest> {
  const parts = await partsOf(fleet);
  const before = await commandsOf(fleet);
  const cores = await coresOf(parts, seconds, begin);
  const after = await commandsOf(fleet);
  const rates = [...after]
    .map(([name, calls]) => [name, (calls - (before.get(name) ?? 0)) / seconds] as const)
    .filter(([, rate]) => rate >= 0.1)
    .toSorted(([, a], [, b]) => b - a);
  return {
    cores: cores.reduce((sum, one) => sum + one, 0),
    parts: parts.map(({ name }, at) => `${name} ${(cores[at]! * 1000).toFixed(1)}`).join(', '),
    commands: rates.map(([name, rate]) => `${name} ${rate.toFixed(1)}`).join(', '),
  };
}

/** How often Redis ran each command. */
async function commandsOf(fleet: Fleet): Promise<Map<string, number>> {
  const redis = await connectRedis({ url: fleet.redis.url, log: createLogger({ name: 'bench', level: 'error' }) });
  try {
    const stats = await redis.commands.info('commandstats');
    return new Map(
      [...stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)].map(([, name, calls]) => [name!, Number(calls)]),
    );
  } finally {
    await redis.close();
  }
}

function row(what: string, { cores, parts, commands }: AtRest, target: string): Row {
  return { what, figure: `${(cores * 1000).toFixed(1)} ms/s (${parts}; commands a second: ${commands})`, target };
}
