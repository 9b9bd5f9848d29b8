import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { compareProgramAccepts } from './compare-accepts.ts';
import { type LagSink, startLagSink } from './lag-sink.ts';
import { requestsPerSecond, SECONDS } from './load.ts';
import { startPlatform } from './nginx.ts';
import { percentile } from './percentile.ts';
import { partsOf, usageOf } from './process-usage.ts';
import { ms, perSecond, ratio, report } from './report.ts';

const COUNTS = [0, 1, 5, 20] as const;
const PROGRAMS = 10;
const PER_SECOND = 40;
const LOAD_SECONDS = 15;
const IDLE = { bots: 100, programsOfEach: 100, seconds: 20, atOnce: 10 };
const CHAT = 5;
const BODY = `{"chat_id":${CHAT},"text":"hello"}`;
const ROUNDS = 7;

type Row = { what: string; figure: string; target?: string };

/** The cost of programs: an accept, a program that hangs beside nine others, calls with their tokens, and 10,000 idle ones. */
export async function benchPrograms(database: { url: string }): Promise<void> {
  const rows = [...(await costOfAccepts()), ...(await besideOneThatHangs(database)), ...(await callsByToken(database))];
  report('Programs', [...rows, ...(await idlePrograms(database))]);
}

async function costOfAccepts(): Promise<Row[]> {
  const took = await compareProgramAccepts(COUNTS);
  const base = took.get(0)!;
  return [...took].map(([count, us]) => ({
    what: `accept within Redis, ${count} programs that push`,
    figure: `${us.toFixed(1)} µs, ${ratio(us / base)} of that without`,
    ...(count === 5 ? { target: '≤ 1.6' } : {}),
  }));
}

async function besideOneThatHangs(database: { url: string }): Promise<Row[]> {
  const fleet = await startFleet({ apis: 1, workers: 1 }, { LOG_LEVEL: 'error' }, database);
  const sink = await startLagSink();
  try {
    const bot = await fleet.addBot({ proxy_enabled: true });
    for (let at = 0; at < PROGRAMS; at += 1) {
      // Each program has a host of its own, because a hanging backend counts against all of its host.
      const backend_url = `http://127.0.0.${2 + at}:${sink.port}/${at}`;
      await fleet.rest('/api/programs/add', { bot_id: bot.id, name: `program ${at}`, mode: 'push', backend_url });
    }
    await lagsOfOthers(fleet, sink, bot.platformId);
    const well = await lagsOfOthers(fleet, sink, bot.platformId);
    sink.hang('/0');
    const beside = await lagsOfOthers(fleet, sink, bot.platformId);
    const of = (run: Arrived) => `${perSecond(run.rate)}, p99 ${ms(percentile(run.lags, 99))}`;
    return [
      { what: `nine of ten programs at ${PER_SECOND} updates/s, while the tenth is well`, figure: of(well) },
      {
        what: 'the nine while the tenth hangs',
        figure: `${of(beside)}: ${ratio(beside.rate / well.rate)} of the rate, ${ratio(percentile(beside.lags, 99) / percentile(well.lags, 99))} of the p99`,
        target: '≥ 0.95 of the rate, ≤ 1.05 of the p99',
      },
    ];
  } finally {
    await fleet.stop();
    await sink.stop();
  }
}

type Arrived = { lags: number[]; rate: number };

async function lagsOfOthers(fleet: Fleet, sink: LagSink, bot: number): Promise<Arrived> {
  sink.reset();
  const count = PER_SECOND * LOAD_SECONDS;
  const begunAtMs = performance.now();
  await fleet.control.generate({ bots: [bot], chats: 20, count, perSecond: PER_SECOND });
  const lags = () => Array.from({ length: PROGRAMS - 1 }, (_, at) => sink.lags(`/${at + 1}`)).flat();
  const all = count * (PROGRAMS - 1);
  await waitFor(() => lags().length >= all, { timeoutMs: 120_000, message: 'the updates of nine programs' });
  return { lags: lags(), rate: all / ((performance.now() - begunAtMs) / 1000) };
}

/** Calls of the bot itself, and of a program without limits and with chats; each in turn, seven times. */
async function callsByToken(database: { url: string }): Promise<Row[]> {
  const platform = await startPlatform();
  const settings = { TELEGRAM_API_URL: platform.url, LOG_LEVEL: 'error' };
  const fleet = await startFleet({ apis: 1, workers: 0 }, settings, database);
  try {
    const own = '700002:bench-token-abcdefghijklmnopqrstuvwxyz';
    const { id: bot_id } = await fleet.rest<{ id: number }>('/api/bots/add', { token: own });
    const newToken = async (name: string, limits: object) => {
      const { id: program_id } = await fleet.rest<{ id: number }>('/api/programs/add', { bot_id, name });
      return (await fleet.rest<{ token: string }>('/api/programs/tokens/add', { program_id, name, ...limits })).token;
    };
    const tokens = [own, await newToken('whole', {}), await newToken('of chats', { chats: [CHAT] })];
    const { port, pid } = fleet.apis[0]!;
    const cpuSeconds = () => usageOf({ name: 'api', pids: () => [pid] }).cpuSeconds;
    const costs: number[][] = tokens.map(() => []);
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const [at, token] of tokens.entries()) {
        const before = cpuSeconds();
        const rate = await requestsPerSecond(`http://127.0.0.1:${port}/tgapi/bot${token}/sendChatAction`, BODY);
        if (round > 0) costs[at]!.push(((cpuSeconds() - before) * 1e6) / (rate * SECONDS));
      }
    }
    const [bot, whole, scoped] = costs.map((rounds) => percentile(rounds, 50)) as [number, number, number];
    const figure = (us: number) => `${us.toFixed(0)} µs of processor time, ${ratio(bot / us)} of its speed`;
    return [
      { what: 'a call with the token of the bot', figure: `${bot.toFixed(0)} µs of processor time` },
      { what: 'with the token of a program', figure: figure(whole), target: '≥ 0.95' },
      { what: 'with one that is limited to chats', figure: figure(scoped), target: '≥ 0.8' },
    ];
  } finally {
    await fleet.stop();
    await platform.stop();
  }
}

async function idlePrograms(database: { url: string }): Promise<Row[]> {
  const fleet = await startFleet({ apis: 1, workers: 1 }, { LOG_LEVEL: 'error' }, database);
  try {
    const bots = [];
    for (let at = 0; at < IDLE.bots; at += 1) bots.push(await fleet.addBot());
    const before = await usages(fleet, IDLE.seconds);
    const add = async (bot_id: number) => {
      for (let at = 0; at < IDLE.programsOfEach; at += 1) {
        await fleet.rest('/api/programs/add', {
          ...{ bot_id, name: `program ${at}`, mode: 'push', backend_url: 'http://127.0.0.1:9/' },
        });
      }
    };
    for (let from = 0; from < bots.length; from += IDLE.atOnce) {
      await Promise.all(bots.slice(from, from + IDLE.atOnce).map(({ id }) => add(id)));
    }
    const after = await usages(fleet, IDLE.seconds);
    return after.map(({ name, cores, memoryMb }, at) => {
      const idle = before[at]!;
      const cost = `${(cores - idle.cores).toFixed(3)} cores and ${(memoryMb - idle.memoryMb).toFixed(0)} MB`;
      return { what: `${IDLE.bots * IDLE.programsOfEach} idle programs, ${name}`, figure: `${cost} more` };
    });
  } finally {
    await fleet.stop();
  }
}

/** Cores in use over so many seconds, and memory then. */
async function usages(fleet: Fleet, seconds: number): Promise<{ name: string; cores: number; memoryMb: number }[]> {
  const parts = await partsOf(fleet);
  const begun = parts.map(usageOf);
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  return parts.map((part, at) => {
    const { cpuSeconds, memoryMb } = usageOf(part);
    return { name: part.name, cores: (cpuSeconds - begun[at]!.cpuSeconds) / seconds, memoryMb };
  });
}
