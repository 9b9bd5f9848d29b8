import { connect, type Socket } from 'node:net';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import type { Fleet } from '@flotilla/testing/fleet/fleet.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { ownMemoryMb } from './process-usage.ts';
import type { Row } from './report.ts';
import { startBareServer } from './start-bare.ts';

const POLLS = 10_000;
const BOTS = 100;
const AT_ONCE = 250;
const GIVE_UP_AFTER_MS = 30_000;
const SETTLED_AFTER_S = 16;

/** The memory of polls that get no updates, beside that of requests that a bare server holds; and connections to Redis. */
export async function measureIdlePolls(fleet: Fleet, redis: RedisHandles): Promise<Row[]> {
  const tokens: string[] = [];
  for (let at = 0; at < BOTS; at += 1) {
    tokens.push((await fleet.addBot({ long_poll_enabled: true, manage_enabled: false })).token);
  }
  const api = fleet.apis[0]!;
  const bare = await startBareServer();
  const redisClients = async () =>
    String(await redis.commands.client('LIST'))
      .trim()
      .split('\n').length;
  const waiting = async () => (await readMetric(api, 'flotilla_waiting_polls')) ?? 0;
  const pathOf = (at: number) => `/tgapi/bot${tokens[at % BOTS]}/getUpdates?timeout=50`;
  try {
    const floor = await measureHeld(bare, pathOf, null);
    const one = holdRequests(api.port, pathOf);
    await one.open(1, waiting);
    const redisBefore = await redisClients();
    one.close();
    const ours = await measureHeld(api, pathOf, waiting, redisClients);
    return [
      {
        what: `${POLLS.toLocaleString('en')} idle polls, memory of each at most`,
        figure: `${ours.kbEach.toFixed(1)} KB, ${ours.quietKbEach.toFixed(1)} KB at least`,
        target: '≤ 22 KB',
      },
      { what: '  a request that a bare server holds', figure: `${floor.kbEach.toFixed(1)} KB` },
      {
        what: 'connections to Redis with one poll, and with all',
        figure: `${redisBefore}, ${ours.redisClients}`,
        target: 'no more',
      },
    ];
  } finally {
    await bare.stop();
  }
}

type Held = { kbEach: number; quietKbEach: number; redisClients: number };

async function measureHeld(
  { port, pid }: { port: number; pid: number },
  pathOf: (at: number) => string,
  waiting: (() => Promise<number>) | null,
  redisClients: () => Promise<number> = async () => 0,
): Promise<Held> {
  const requests = holdRequests(port, pathOf);
  try {
    await requests.open(1, waiting);
    const before = ownMemoryMb(pid);
    await requests.open(POLLS, waiting);
    const memory = await memoryMb(pid);
    const kbEach = (mb: number) => ((mb - before) * 1024) / POLLS;
    return { kbEach: kbEach(memory.most), quietKbEach: kbEach(memory.least), redisClients: await redisClients() };
  } finally {
    requests.close();
  }
}

/** Requests on a connection each. One that ends is sent again, because polls end by themselves after 50 s. */
function holdRequests(port: number, pathOf: (at: number) => string) {
  const sockets: Socket[] = [];
  let closed = false;
  const hold = (at: number) => {
    if (closed) return;
    const socket = connect(port, '127.0.0.1');
    sockets[at] = socket;
    const request = `GET ${pathOf(at)} HTTP/1.1\r\nHost: idle\r\n\r\n`;
    socket.on('error', () => {});
    socket.on('data', () => socket.write(request));
    socket.on('close', () => hold(at));
    socket.write(request);
  };
  const connected = () => sockets.filter(({ connecting }) => !connecting).length;
  return {
    /** Resolves when this many are held; rejects when their number has not grown for 30 s. */
    open: async (count: number, waiting: (() => Promise<number>) | null) => {
      let [most, grewAtMs] = [0, performance.now()];
      for (;;) {
        for (let more = Math.min(AT_ONCE, count - sockets.length); more > 0; more -= 1) hold(sockets.length);
        await new Promise((resolve) => setTimeout(resolve, 50));
        const held = (await waiting?.()) ?? connected();
        if (held >= count) return;
        if (held > most) [most, grewAtMs] = [held, performance.now()];
        if (performance.now() - grewAtMs > GIVE_UP_AFTER_MS) throw new Error(`Only ${held} of ${count} polls wait`);
      }
    },
    close: () => {
      closed = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

/**
 * The highest and the lowest memory at any second of this time, in which each poll looks for updates three times by
 * itself. The garbage of these looks is part of the cost of polls.
 */
async function memoryMb(pid: number): Promise<{ most: number; least: number }> {
  const seen: number[] = [];
  for (let second = 0; second < SETTLED_AFTER_S; second += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    seen.push(ownMemoryMb(pid));
  }
  return { most: Math.max(...seen), least: Math.min(...seen) };
}
