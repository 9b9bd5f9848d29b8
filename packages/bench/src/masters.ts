import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { startTestRedisCluster } from '@flotilla/testing/redis-cluster.ts';
import type { ReplicatedRedis } from '@flotilla/testing/replicated-redis.ts';
import { startEverydayLoad } from './everyday-load.ts';
import { coresOf, type Part, partsOf, pidListeningOn } from './process-usage.ts';
import { type Row, report } from './report.ts';

const BOTS = 300;
const UPDATES_PER_S_OF_A_BOT = 0.5;
const CHATS = 10;
/** Longer than a brief poll and the start of its turn. */
const SETTLE_SECONDS = 20;
const SECONDS = 60;

/** The load of each of three masters of a Redis Cluster: without bots, with idle ones, and with ones that get updates. */
export async function benchMasters(database: { url: string; rows?: number }): Promise<void> {
  const count = database.rows ?? BOTS;
  const cluster = await startTestRedisCluster({ masters: 3 });
  const fleet = await startFleet({ apis: 1, workers: 1 }, { LOG_LEVEL: 'warn' }, database, cluster);
  try {
    const rows = await measure(fleet, cluster, 'without bots', async () => {});
    const load = await startEverydayLoad(fleet, count);
    rows.push(...(await measure(fleet, cluster, `${count} bots are polled and get nothing`, async () => {})));
    const perSecond = count * UPDATES_PER_S_OF_A_BOT;
    const updates = { bots: load.bots, chats: CHATS, count: perSecond * SECONDS, perSecond };
    const busy = await measure(fleet, cluster, `${count} bots get ${perSecond} updates/s`, () =>
      fleet.control.generate(updates),
    );
    rows.push(...busy);
    await load.stop();
    report('Three masters of a Redis Cluster, an api and a worker for everything', rows);
  } finally {
    await fleet.stop();
    await cluster.stop();
  }
}

async function measure(
  fleet: Fleet,
  cluster: ReplicatedRedis,
  when: string,
  begin: () => Promise<unknown>,
): Promise<Row[]> {
  await new Promise((resolve) => setTimeout(resolve, SETTLE_SECONDS * 1000));
  const processes = (await partsOf(fleet)).filter(({ name }) => name !== 'Redis');
  const masters = await Promise.all((await cluster.masters()).map(({ port }, at) => masterPart(port, at)));
  const before = await statsOf(cluster);
  const cores = await coresOf([...masters, ...processes], SECONDS, begin);
  const after = await statsOf(cluster);
  const ofMasters = masters.map(({ name }, at) => {
    const commands = (after[at]!.commands - before[at]!.commands) / SECONDS;
    const figures = `${commands.toFixed(0)} commands/s, ${msPerS(cores[at]!)}, ${after[at]!.clients} connections`;
    return { what: `${when}: ${name}`, figure: figures };
  });
  const ofProcesses = processes.map(({ name }, at) => `${name} ${msPerS(cores[masters.length + at]!)}`);
  const all = cores.reduce((sum, one) => sum + one, 0);
  return [...ofMasters, { what: `${when}: all parts`, figure: `${msPerS(all)} (${ofProcesses.join(', ')})` }];
}

const msPerS = (cores: number): string => `${(cores * 1000).toFixed(1)} ms/s`;

async function masterPart(port: number, at: number): Promise<Part> {
  const pids = await pidListeningOn('redis-server', port);
  return { name: `master ${at + 1}`, pids: () => pids };
}

/** The commands that each master has run, also those within scripts, and its connections. */
async function statsOf(cluster: ReplicatedRedis): Promise<{ commands: number; clients: number }[]> {
  return Promise.all(
    (await cluster.masters()).map(async ({ connection }) => {
      const [stats, clients] = await Promise.all([connection.info('commandstats'), connection.info('clients')]);
      const calls = [...stats.matchAll(/^cmdstat_[^:]+:calls=(\d+)/gm)].map(([, each]) => Number(each));
      return {
        commands: calls.reduce((sum, each) => sum + each, 0),
        clients: Number(/connected_clients:(\d+)/.exec(clients)?.[1]),
      };
    }),
  );
}
