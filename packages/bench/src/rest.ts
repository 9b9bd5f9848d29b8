import { connectDatabase } from '@flotilla/database/connect.ts';
import { migrateToLatest } from '@flotilla/database/migrate.ts';
import { connectRedis } from '@flotilla/redis/connect.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { programArgs } from '@flotilla/runtime/program-entry.ts';
import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import type { ProcessCode } from '@flotilla/testing/fleet/fleet-process.ts';
import { administer, databaseUrl } from '@flotilla/testing/postgres.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { startEverydayLoad } from './everyday-load.ts';
import { coresOf, partsOf, residentMb } from './process-usage.ts';
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
      ...(await compareOneProcess(database)),
    ]);
  } finally {
    await fleet.stop();
  }
}

const FEW_BOTS = 3;

/** The command flotilla in place of an api. */
const ONE_PROCESS: ProcessCode = (_role, built) => ({
  cwd: process.cwd(),
  args: programArgs('flotilla', built),
  env: { MALLOC_ARENA_MAX: '2' },
});
const TWO_PROCESSES: ProcessCode = (role, built) => ({ ...ONE_PROCESS(role, built), args: programArgs(role, built) });

/** One process with three bots beside an api and a worker with the same: memory, idle processor time, time until ready. */
async function compareOneProcess(database: { url: string }): Promise<Row[]> {
  const one = await smallInstallation(await newDatabase(database, 'one_process'), [['api', ONE_PROCESS]]);
  const two = await smallInstallation(await newDatabase(database, 'two_processes'), [
    ['api', TWO_PROCESSES],
    ['worker', TWO_PROCESSES],
  ]);
  return [
    {
      what: `one process with ${FEW_BOTS} bots: memory`,
      figure: `${one.memoryMb} MB (api and worker: ${two.memoryMb} MB)`,
      target: '≤ 190 MB',
    },
    {
      what: 'the same: processor time at rest',
      figure: `${one.idleMs} ms/s (api and worker: ${two.idleMs} ms/s)`,
      target: '≤ 12 ms/s',
    },
    { what: 'the same: from its start until it is ready', figure: `${one.readyMs} ms`, target: '≤ 5000 ms' },
  ];
}

async function smallInstallation(database: { url: string }, processes: ['api' | 'worker', ProcessCode][]) {
  const fleet = await startFleet({ apis: 0, workers: 0 }, { LOG_LEVEL: 'warn' }, database);
  try {
    const begunAt = performance.now();
    for (const [role, code] of processes) await fleet.start(role, {}, undefined, code);
    const readyMs = Math.round(performance.now() - begunAt);
    for (let bot = 0; bot < FEW_BOTS; bot += 1) await fleet.addBot({ long_poll_enabled: true });
    const { pids, parts } = ownParts(fleet);
    await new Promise((resolve) => setTimeout(resolve, SETTLE_SECONDS * 1000));
    const cores = await coresOf(parts, SECONDS, async () => {});
    const memoryMb = pids.map((pid) => Math.round(residentMb(pid))).join(' + ');
    return { readyMs, memoryMb, idleMs: (cores.reduce((sum, one) => sum + one, 0) * 1000).toFixed(1) };
  } finally {
    await fleet.stop();
  }
}

async function newDatabase(database: { url: string }, name: string): Promise<{ url: string }> {
  await administer(database.url, `create database ${name}`);
  const url = databaseUrl(database.url, name);
  const db = connectDatabase({ url, maxConnections: 1, queryTimeoutMs: null });
  await migrateToLatest(db).finally(() => db.destroy());
  return { url };
}

function ownParts({ apis, workers }: Fleet) {
  const pids = [...apis, ...workers].map(({ pid }) => pid);
  return { pids, parts: pids.map((pid) => ({ name: `${pid}`, pids: () => [pid] })) };
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
