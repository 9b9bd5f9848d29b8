import { setTimeout as delay } from 'node:timers/promises';
import { connectRedis } from '@flotilla/redis/connect.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import pg from 'pg';
import { type EverydayLoad, startEverydayLoad } from './everyday-load.ts';
import { coresOf, partsOf, usageOf } from './process-usage.ts';
import { type Row, ratio, report } from './report.ts';

const BOTS = 100;
const CHATS = 10;
const PER_SECOND = 500;
const SECONDS = 60;
const IDLE_SECONDS = 20;
const QUEUED = 20_000;
const BARE_COUNT = 7_500;
const BARE_BYTES = 600;
const ROLES = ['polling', 'push', 'rules', 'history,upkeep'];

/**
 * Resources that 1,000 updates a second take, part by part: with a worker for each role, to be seen alone, and with one
 * worker for all.
 */
export async function benchSizing(database: { url: string }): Promise<void> {
  const fleet = await startFleet({ apis: 1, workers: 0 }, { LOG_LEVEL: 'warn' }, database);
  for (const roles of ROLES) await fleet.start('worker', { WORKER_ROLES: roles });
  const load = await startEverydayLoad(fleet, BOTS);
  try {
    const bytesBefore = await storedBytes(fleet);
    const apart = await costOf(fleet, load);
    const stored = await storedBytes(fleet);
    const connections = await connectionsOf(fleet);
    await Promise.all(fleet.workers.splice(0).map((worker) => worker.stop()));
    await fleet.start('worker');
    const together = await costOf(fleet, load);
    const bareUs = await costOfBareAppend(fleet, together.find(({ name }) => name === 'Redis')!);
    const waiting = await bytesPerWaiting(fleet);
    report('Per 1,000 updates/s, 100 bots, half pushed to, half polling, every tenth answered by sendMessage', [
      ...named(apart).map(({ name, perUpdateUs, idle, memoryMb }) => ({
        what: name,
        figure: `${(perUpdateUs / 1000).toFixed(2)} cores (idle ${idle.toFixed(3)}), ${memoryMb.toFixed(0)} MB`,
        ...(/^(api|worker)/.test(name) ? { target: '≤ 140 MB' } : {}),
      })),
      ...costsOf('a worker for each role', apart, bareUs),
      ...costsOf('one worker', together, bareUs),
      {
        what: `a bare append: XADD of ${BARE_BYTES} bytes, ${PER_SECOND} a second, each alone`,
        figure: `${bareUs.toFixed(0)} µs of Redis`,
      },
      { what: 'calls sent, failed', figure: `${load.sent()}, ${load.failures().length}`, target: '0 failed' },
      { what: 'Redis, an update that waits', figure: `${waiting.toFixed(0)} bytes` },
      {
        what: 'Postgres, a message that is kept',
        figure: `${((stored.bytes - bytesBefore.bytes) / (stored.rows - bytesBefore.rows)).toFixed(0)} bytes, indexes included`,
      },
      { what: 'connections to Redis', figure: connections.redis },
      { what: 'connections to Postgres', figure: connections.postgres },
    ]);
  } finally {
    await load.stop();
    await fleet.stop();
  }
}

/** The cost of a part: processor time of an update (µs), cores without updates, and memory at the end. */
type Cost = { name: string; perUpdateUs: number; idle: number; memoryMb: number };

async function costOf(fleet: Fleet, load: EverydayLoad): Promise<Cost[]> {
  const parts = await partsOf(fleet);
  const before = load.received();
  const idle = await coresOf(parts, IDLE_SECONDS, async () => {});
  const busy = await coresOf(parts, SECONDS, () => generate(fleet, load.bots, SECONDS));
  await waitFor(() => load.received() - before >= PER_SECOND * SECONDS, { timeoutMs: 60_000, message: 'all updates' });
  return parts.map((part, at) => ({
    name: part.name,
    perUpdateUs: ((busy[at]! - idle[at]!) * 1e6) / PER_SECOND,
    idle: idle[at]!,
    memoryMb: usageOf(part).memoryMb,
  }));
}

/** Processor time of Redis (µs) for one append that comes alone and is stored durably: what the speed of the machine gives. */
async function costOfBareAppend(fleet: Fleet, { idle }: Cost): Promise<number> {
  const redis = await connectRedis({ url: fleet.redis.url, log: createLogger({ name: 'bench', level: 'error' }) });
  const part = (await partsOf(fleet)).find(({ name }) => name === 'Redis')!;
  const body = 'x'.repeat(BARE_BYTES);
  try {
    const [before, begunAt] = [usageOf(part).cpuSeconds, performance.now()];
    for (let sent = 0; sent < BARE_COUNT; sent += 1) {
      await Promise.all([redis.commands.xadd('{bench}:bare', '*', 'update', body), delay(1000 / PER_SECOND)]);
    }
    const idleSeconds = (idle * (performance.now() - begunAt)) / 1000;
    await redis.commands.del('{bench}:bare');
    return ((usageOf(part).cpuSeconds - before - idleSeconds) * 1e6) / BARE_COUNT;
  } finally {
    await redis.close();
  }
}

function costsOf(workers: string, costs: Cost[], bareUs: number): Row[] {
  const sumOf = (name: RegExp) => costs.reduce((sum, cost) => (name.test(cost.name) ? sum + cost.perUpdateUs : sum), 0);
  const redisUs = sumOf(/^Redis$/);
  return [
    {
      what: `CPU of an update, Redis, ${workers}`,
      figure: `${redisUs.toFixed(0)} µs, ${ratio(redisUs / bareUs)} of a bare append`,
      target: '≤ 300 µs',
    },
    { what: `CPU of an update, ${workers}`, figure: `${sumOf(/^worker/).toFixed(0)} µs`, target: '≤ 600 µs' },
  ];
}

function named(costs: Cost[]): Cost[] {
  const worker = /^worker (\d+)$/;
  return costs.map((cost) => {
    const number = Number(worker.exec(cost.name)?.[1]);
    return Number.isNaN(number) ? cost : { ...cost, name: `worker: ${ROLES[number - 1]}` };
  });
}

function generate(fleet: Fleet, bots: number[], seconds: number): Promise<unknown> {
  return fleet.control.generate({ bots, chats: CHATS, count: PER_SECOND * seconds, perSecond: PER_SECOND });
}

async function storedBytes(fleet: Fleet): Promise<{ bytes: number; rows: number }> {
  return withPostgres(fleet, async (client) => {
    await client.query('vacuum analyze messages');
    const { rows } = await client.query<{ bytes: string; rows: string }>(
      `select sum(pg_total_relation_size(relid))::text as bytes, (select count(*) from messages)::text as rows
       from pg_stat_user_tables where relname like 'message%'`,
    );
    return { bytes: Number(rows[0]!.bytes), rows: Number(rows[0]!.rows) };
  });
}

async function connectionsOf(fleet: Fleet): Promise<{ redis: string; postgres: string }> {
  const processes = fleet.apis.length + fleet.workers.length;
  const redis = await connectRedis({ url: fleet.redis.url, log: createLogger({ name: 'bench', level: 'error' }) });
  const clients = String(await redis.commands.client('LIST'))
    .trim()
    .split('\n').length;
  await redis.close();
  const open = await withPostgres(fleet, async (client) => {
    const { rows } = await client.query<{ count: string }>(
      'select count(*)::text as count from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    return rows[0]!.count;
  });
  return { redis: `${clients} of ${processes} processes`, postgres: `${open} of ${processes} processes` };
}

/** Redis memory per update of a bot's backlog while its backend is away. */
async function bytesPerWaiting(fleet: Fleet): Promise<number> {
  const redis = await connectRedis({ url: fleet.redis.url, log: createLogger({ name: 'bench', level: 'error' }) });
  const used = async () => Number(/used_memory:(\d+)/.exec(await redis.commands.info('memory'))?.[1]);
  try {
    const bot = await fleet.addBot({ long_poll_enabled: true });
    const before = await used();
    await fleet.control.generate({ bots: [bot.platformId], chats: CHATS, count: QUEUED });
    await waitFor(async () => (await waitingOf(fleet, bot.id)) >= QUEUED, { timeoutMs: 60_000, message: 'a backlog' });
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    return ((await used()) - before) / QUEUED;
  } finally {
    await redis.close();
  }
}

async function waitingOf(fleet: Fleet, id: number): Promise<number> {
  const bots = await fleet.rest<{ id: number; pending_update_count: number }[]>('/api/bots');
  return bots.find((bot) => bot.id === id)?.pending_update_count ?? 0;
}

async function withPostgres<T>(fleet: Fleet, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: fleet.database.url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
