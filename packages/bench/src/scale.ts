import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { administer, databaseUrl } from '@flotilla/testing/postgres.ts';
import { startTestRedis } from '@flotilla/testing/redis.ts';
import { startTestRedisCluster } from '@flotilla/testing/redis-cluster.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { Pool } from 'undici';
import { type CpuSlices, cpuSlices } from './cpu-slices.ts';
import { startLagSink } from './lag-sink.ts';
import { type Part, partsOf, pidListeningOn, usageOf } from './process-usage.ts';
import { perSecond, type Row, ratio, report } from './report.ts';

const MOST = 4;
const BOTS = 100;
const CHATS = 10;
/** A share of one core, so small that four of them leave the stores and the load generator the rest. */
const SLICE = 0.15;
const WARM_UP = 6_000;
const BURST = 2_000;
const MOVED = 500;
const CALLS_AT_ONCE = 8;
const CALL_SECONDS = 5;
/** Redis is what is short in the comparison of one master with two. */
const REDIS_SLICE = 0.1;
const STORED_WITHIN_MS = 300_000;

/** How throughput grows with processes, each held to the same slice of a core, and with masters of Redis Cluster. */
export async function benchScale(database: { url: string }): Promise<void> {
  const slices = cpuSlices();
  try {
    report(`Scale: each worker has ${SLICE} of a core`, await scaleWorkers(await copyOf(database, 'workers'), slices));
    report(`Scale: each api has ${SLICE} of a core`, await scaleApis(await copyOf(database, 'apis'), slices));
    report(`Scale: each master of Redis has ${REDIS_SLICE} of a core`, await scaleRedis(database, slices));
  } finally {
    slices.release();
  }
}

/** Bots of one fleet must not be polled by the next, whose platform does not know them. */
async function copyOf({ url }: { url: string }, what: string): Promise<{ url: string }> {
  const name = new URL(url).pathname.slice(1);
  await administer(databaseUrl(url, 'postgres'), `create database ${name}_${what} template ${name}`);
  return { url: databaseUrl(url, `${name}_${what}`) };
}

/** All processes are warmed up first, and then stopped one by one: a process that has just started is slow. */
async function scaleWorkers(database: { url: string }, slices: CpuSlices): Promise<Row[]> {
  const fleet = await startFleet({ apis: 1, workers: MOST }, { LOG_LEVEL: 'warn' }, database);
  const sink = await startLagSink();
  try {
    const bots = await addBots(fleet, sink.url);
    await burst(fleet, bots, WARM_UP);
    for (const { pid } of fleet.workers) slices.limit(pid, SLICE);
    const found: Found[] = [];
    while (fleet.workers.length > 0) {
      const count = fleet.workers.length;
      const parts = await partsOf(fleet);
      const before = parts.map((part) => usageOf(part).cpuSeconds);
      const rate = await burst(fleet, bots, BURST * count);
      found.push({ count, rate, remark: costs(parts, before, BURST * count) });
      await fleet.workers.pop()!.stop();
      // Its turns and shards go to the others.
      if (fleet.workers.length > 0) await burst(fleet, bots, MOVED);
    }
    return rowsOf(found, 'worker(s): from the platform to the backend and into Postgres');
  } finally {
    await sink.stop();
    await fleet.stop();
  }
}

async function scaleApis(database: { url: string }, slices: CpuSlices): Promise<Row[]> {
  const fleet = await startFleet({ apis: MOST, workers: 1 }, { LOG_LEVEL: 'warn' }, database);
  const { token } = await fleet.addBot({ proxy_enabled: true });
  const pools = fleet.apis.map(({ port }) => new Pool(`http://127.0.0.1:${port}`, { connections: CALLS_AT_ONCE }));
  try {
    await callsPerSecond(pools, token, CALL_SECONDS);
    for (const { pid } of fleet.apis) slices.limit(pid, SLICE);
    const found: Found[] = [];
    for (let count = MOST; count > 0; count -= 1) {
      found.push({ count, rate: await callsPerSecond(pools.slice(0, count), token, CALL_SECONDS), remark: '' });
    }
    return rowsOf(found, 'api: sendMessage through the proxy, kept in the history');
  } finally {
    await Promise.all(pools.map((pool) => pool.destroy()));
    await fleet.stop();
  }
}

type Found = { count: number; rate: number; remark: string };

/** From one process to the most. */
function rowsOf(found: Found[], what: string): Row[] {
  const [one, ...more] = found.toReversed();
  return [
    { what: `1 ${what}`, figure: `${perSecond(one!.rate)}${one!.remark}` },
    ...more.map(({ count, rate, remark }) => ({
      what: `${count} ${what}`,
      figure: `${perSecond(rate)}, ${ratio(rate / one!.rate)} of one${remark}`,
      ...(count === MOST ? { target: `≥ ${(0.8 * MOST).toFixed(1)} of one` } : {}),
    })),
  ];
}

/** One server beside a cluster of two masters, each with the same slice; two workers with all they can get. */
async function scaleRedis(database: { url: string }, slices: CpuSlices): Promise<Row[]> {
  const one = await startTestRedis();
  const byOne = await withRedis(await copyOf(database, 'one'), slices, one, [one.port]);
  const two = await startTestRedisCluster({ masters: 2 });
  const ports = (await two.masters()).map(({ port }) => port);
  const byTwo = await withRedis(await copyOf(database, 'two'), slices, two, ports);
  return [
    { what: 'one Redis: updates pushed and stored', figure: perSecond(byOne) },
    {
      what: 'Redis Cluster of two masters: updates pushed and stored',
      figure: `${perSecond(byTwo)}, ${ratio(byTwo / byOne)} of one`,
      target: '≥ 1.6 of one',
    },
  ];
}

async function withRedis(
  database: { url: string },
  slices: CpuSlices,
  redis: { url: string; port: number; stop(): Promise<void> },
  ports: number[],
): Promise<number> {
  const fleet = await startFleet({ apis: 1, workers: 2 }, { LOG_LEVEL: 'warn' }, database, redis);
  const sink = await startLagSink();
  try {
    const bots = await addBots(fleet, sink.url);
    await burst(fleet, bots, WARM_UP);
    for (const port of ports) {
      for (const pid of await pidListeningOn('redis-server', port)) slices.limit(pid, REDIS_SLICE);
    }
    return await burst(fleet, bots, BURST);
  } finally {
    slices.release();
    await sink.stop();
    await fleet.stop();
    await redis.stop();
  }
}

async function addBots(fleet: Fleet, backend: string): Promise<number[]> {
  const bots: number[] = [];
  for (let at = 0; at < BOTS; at += 1) {
    bots.push((await fleet.addBot({ proxy_enabled: true, backend_url: `${backend}${at}` })).platformId);
  }
  return bots;
}

/** Updates per second until the last of them was pushed and stored. */
async function burst(fleet: Fleet, bots: number[], count: number): Promise<number> {
  const stored = async () => {
    const each = await Promise.all(fleet.workers.map((worker) => readMetric(worker, 'flotilla_history_entries_total')));
    return each.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  };
  const wanted = (await stored()) + count;
  const begunAt = performance.now();
  await fleet.control.generate({ bots, chats: CHATS, count });
  await waitFor(async () => (await stored()) >= wanted, { timeoutMs: STORED_WITHIN_MS, message: `${count} updates` });
  return (count * 1000) / (performance.now() - begunAt);
}

async function callsPerSecond(pools: Pool[], token: string, seconds: number): Promise<number> {
  const endsAt = performance.now() + seconds * 1000;
  let answered = 0;
  const callOn = async (pool: Pool) => {
    while (performance.now() < endsAt) {
      const { body, statusCode } = await pool.request({
        path: `/tgapi/bot${token}/sendMessage`,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"chat_id":5,"text":"hello"}',
      });
      await body.dump();
      if (statusCode >= 500) throw new Error(`sendMessage answered ${statusCode}`);
      answered += 1;
    }
  };
  await Promise.all(pools.flatMap((pool) => Array.from({ length: CALLS_AT_ONCE }, () => callOn(pool))));
  return answered / seconds;
}

/** The processor time of each update, by part. */
function costs(parts: Part[], before: number[], updates: number): string {
  const us = (name: RegExp) =>
    parts
      .map((part, at) => (name.test(part.name) ? usageOf(part).cpuSeconds - before[at]! : 0))
      .reduce((sum, seconds) => sum + seconds, 0) *
    (1e6 / updates);
  const named = { workers: us(/^worker/), Redis: us(/^Redis/), Postgres: us(/^Postgres/) };
  const words = Object.entries(named).map(([name, each]) => `${name} ${Math.round(each)} µs`);
  return `; an update costs ${words.join(', ')}`;
}
