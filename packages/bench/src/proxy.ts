import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { latencyAtRate, loadGenerator, requestsPerSecond, SECONDS } from './load.ts';
import { startPlatform, startReverseProxy } from './nginx.ts';
import { percentile } from './percentile.ts';
import { usageOf } from './process-usage.ts';
import { ms, perSecond, ratio, report } from './report.ts';
import { type Bare, startBareProxy } from './start-bare.ts';

const TOKEN = '700001:bench-token-abcdefghijklmnopqrstuvwxyz';
const BODY = '{"chat_id":5,"text":"hello"}';
const STEADY = 500;
/** Ways are measured alternately, process by process, so that other load affects all alike. One earlier round warms everything up. */
const ROUNDS = 3;
/** The same program costs up to a tenth more in one process than in another, so one process decides nothing. */
const PROCESSES = 5;
const PROCESSES_WHILE_WRITTEN = 3;

/** One way to the platform, through one process. `pid` is the proxy whose processor time is measured. */
type Way = { url: string; pid: number | null };
type Ways<Name extends string = 'nginx' | 'bare' | 'passed' | 'captured'> = Record<Name, Way[]>;

/** Compares the proxy with nginx and with a bare proxy of the same parts. The platform behind them answers at once. */
export async function benchProxy(database: { url: string }): Promise<void> {
  const platform = await startPlatform();
  const nginx = await startReverseProxy(platform.url);
  const bare: Bare[] = [];
  for (let count = 0; count < PROCESSES; count += 1) bare.push(await startBareProxy(platform.url));
  const fleet = await startFleet(
    { apis: PROCESSES, workers: 0 },
    { TELEGRAM_API_URL: platform.url, LOG_LEVEL: 'warn' },
    database,
  );
  const callOf = (method: string) => `/bot${TOKEN}/${method}`;
  const through = (processes: { port: number; pid: number }[], path: string): Way[] =>
    processes.map(({ port, pid }) => ({ url: `http://127.0.0.1:${port}${path}`, pid }));
  try {
    await fleet.rest('/api/bots/add', { token: TOKEN });
    const ways = {
      nginx: [{ url: `${nginx.url}${callOf('sendChatAction')}`, pid: null }],
      bare: through(bare, callOf('sendChatAction')),
      passed: through(fleet.apis, `/tgapi${callOf('sendChatAction')}`),
      captured: through(fleet.apis, `/tgapi${callOf('sendMessage')}`),
    };
    await withRedis(fleet, async (redis) => {
      // Else the file grows with what was captured, and a process that rewrites it takes a core from whatever is measured.
      await redis.commands.config('SET', 'auto-aof-rewrite-percentage', '0');
      await measure(ways);
      await measureWhileWritten(fleet, redis, ways);
    });
  } finally {
    await fleet.stop();
    await Promise.all(bare.map((one) => one.stop()));
    await nginx.stop();
    await platform.stop();
  }
}

async function measure(ways: Ways): Promise<void> {
  const full = await inTurns(ways, atFullLoad);
  const quiet = { nginx: ways.nginx, bare: ways.bare.slice(0, 1), passed: ways.passed.slice(0, 1) };
  const steady = await inTurns(quiet, ({ url }) => latencyAtRate(url, BODY, STEADY));
  const [direct, bare] = [middle(full.nginx, 'rate'), middle(full.bare, 'rate')];
  const besides = (loads: Load[]) =>
    `${besideBare(loads, full.bare)}, ${ratio(middle(loads, 'rate') / direct)} of nginx`;
  const added = (way: 'bare' | 'passed', quantile: 'p50' | 'p99') =>
    ms(
      percentile(
        steady[way].map((latency, round) => latency[quantile] - steady.nginx[round]![quantile]),
        50,
      ),
    );
  const subject = `Proxy, small JSON POST, 32 connections (${loadGenerator}) to one process`;
  report(`${subject}, the middle of ${PROCESSES} processes in ${ROUNDS} rounds`, [
    { what: 'nginx', figure: perSecond(direct) },
    { what: 'bare node:http + undici', figure: `${inWords(full.bare)}, ${ratio(bare / direct)} of nginx` },
    { what: 'pass-through', figure: besides(full.passed), target: '≥ 0.95 by processor time' },
    { what: 'captured sendMessage', figure: besides(full.captured), target: '≥ 0.8 by processor time' },
    { what: `added to nginx at ${STEADY}/s, p50`, figure: added('passed', 'p50'), target: '≤ 1 ms' },
    { what: `added to nginx at ${STEADY}/s, p99`, figure: added('passed', 'p99'), target: '≤ 5 ms' },
    { what: 'added by the bare one, p50 and p99', figure: `${added('bare', 'p50')}, ${added('bare', 'p99')}` },
  ]);
}

/** Captured calls while a worker writes the history and Redis rewrites its file again and again, beside the bare proxy. */
async function measureWhileWritten(fleet: Fleet, redis: RedisHandles, ways: Ways): Promise<void> {
  const worker = await fleet.start('worker');
  const entries = async () => (await readMetric(worker, 'flotilla_history_entries_total')) ?? 0;
  const rewrites = async () => Number(/aof_rewrites:(\d+)/.exec(await redis.commands.info('persistence'))?.[1]);
  // Redis rewrites its file whenever it has grown by a hundredth.
  await redis.commands.config('SET', 'auto-aof-rewrite-min-size', '1');
  await redis.commands.config('SET', 'auto-aof-rewrite-percentage', '1');
  const before = { entries: await entries(), rewrites: await rewrites() };
  const some = (all: Way[]) => all.slice(0, PROCESSES_WHILE_WRITTEN);
  const full = await inTurns({ bare: some(ways.bare), captured: some(ways.captured) }, atFullLoad);
  const [written, rewritten] = [(await entries()) - before.entries, (await rewrites()) - before.rewrites];
  report('Proxy, while a worker writes the history and Redis rewrites its file', [
    { what: 'bare node:http + undici', figure: inWords(full.bare) },
    { what: 'captured sendMessage', figure: besideBare(full.captured, full.bare), target: '≥ 0.6 by processor time' },
    { what: 'meanwhile', figure: `${written} entries of the history written, ${rewritten} rewrites ended` },
  ]);
}

async function withRedis(fleet: Fleet, use: (redis: RedisHandles) => Promise<void>): Promise<void> {
  const redis = await connectRedis({ url: fleet.redis.url, log: { warn: () => {} } });
  try {
    await use(redis);
  } finally {
    await redis.close();
  }
}

type Load = { rate: number; cpuUs: number };

function inWords(loads: Load[]): string {
  const [least, most] = [0, 100].map((share) => Math.round(percentile(cpuOf(loads), share)));
  return `${perSecond(middle(loads, 'rate'))}, ${middle(loads, 'cpuUs').toFixed(1)} µs of processor time a call (${least} to ${most})`;
}

/**
 * The ratios to the bare proxy: of processor time, which other load hardly changes, and of throughput. Each is the middle
 * one of as many as there were measurements, each beside its neighbour: the speed of the machine changes from minute to minute.
 */
function besideBare(loads: Load[], bare: Load[]): string {
  const middleOf = (ratioOf: (load: Load, neighbour: Load) => number) =>
    ratio(
      percentile(
        loads.map((load, at) => ratioOf(load, bare[at]!)),
        50,
      ),
    );
  const cpu = middleOf((load, neighbour) => neighbour.cpuUs / load.cpuUs);
  return `${inWords(loads)}, ${cpu} of the bare one (${middleOf((load, neighbour) => load.rate / neighbour.rate)} by rate)`;
}

async function atFullLoad({ url, pid }: Way): Promise<Load> {
  const cpuSeconds = () => (pid === null ? 0 : usageOf({ name: url, pids: () => [pid] }).cpuSeconds);
  const before = cpuSeconds();
  const rate = await requestsPerSecond(url, BODY);
  return { rate, cpuUs: ((cpuSeconds() - before) * 1e6) / (rate * SECONDS) };
}

async function inTurns<Name extends string, Measured>(
  ways: Ways<Name>,
  once: (way: Way) => Promise<Measured>,
): Promise<Record<Name, Measured[]>> {
  const names = Object.keys(ways) as Name[];
  const measured = Object.fromEntries(names.map((name) => [name, [] as Measured[]])) as Record<Name, Measured[]>;
  const processes = Math.max(...names.map((name) => ways[name].length));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (let process = 0; process < processes; process += 1) {
      for (const name of names) {
        const way = ways[name][process];
        if (way === undefined) continue;
        const result = await once(way);
        if (round > 0) measured[name].push(result);
      }
    }
  }
  return measured;
}

function cpuOf(loads: Load[]): number[] {
  return loads.map(({ cpuUs }) => cpuUs);
}

function middle(loads: Load[], figure: keyof Load): number {
  return percentile(
    loads.map((load) => load[figure]),
    50,
  );
}
