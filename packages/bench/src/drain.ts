import type { RedisHandles } from '@flotilla/redis/connect.ts';
import type { Fleet, FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { Pool } from 'undici';
import { cpuMeter } from './cpu-meter.ts';
import { percentile } from './percentile.ts';
import { ms, perSecond, type Row, ratio } from './report.ts';
import { startBareServer } from './start-bare.ts';

/** Appends updates with these ids to a bot's log. */
export type Append = (botId: number, ids: number[]) => Promise<void>;

const BACKLOG = 20_000;
const BATCH = 100;
const CLIENTS = 4;
/** Ours and the bare server are measured alternately. One round is too short to show a difference of 5 %. One earlier round warms everything up. */
const ROUNDS = 12;

/** Updates a second, and the processor time (ms) that 100 of them need. */
type Drained = { perSecond: number; serverMs: number; redisMs: number; clientMs: number };

/**
 * How fast backlogs are drained by getUpdates, beside a server of nothing but node:http that answers the same number of
 * equal pages from one stored text.
 */
export async function measureDrain(fleet: Fleet, redis: RedisHandles, append: Append): Promise<Row[]> {
  const bare = await startBareServer();
  const bots: FleetBot[] = [];
  for (let at = 0; at < CLIENTS; at += 1) {
    bots.push(await fleet.addBot({ long_poll_enabled: true, manage_enabled: false }));
  }
  const { port, pid } = fleet.apis[0]!;
  const cpu = { ours: cpuMeter(pid, redis), bare: cpuMeter(bare.pid, redis) };
  try {
    const measured = { oneOurs: [], oneBare: [], allOurs: [], allBare: [] } as Record<string, Drained[]>;
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const [clients, ours, theirs] of [
        [1, 'oneOurs', 'oneBare'],
        [CLIENTS, 'allOurs', 'allBare'],
      ] as const) {
        const drained = bots.slice(0, clients);
        const firsts = await Promise.all(drained.map((bot) => fill(append, bot)));
        const pollOf = (client: number) => (page: number) =>
          `/tgapi/bot${drained[client]!.token}/getUpdates?offset=${firsts[client]! + page * BATCH}&limit=${BATCH}`;
        await bare.store(await firstPage(port, pollOf(0)(0)));
        const byUs = await drain(cpu.ours, port, clients, pollOf);
        const byBare = await drain(cpu.bare, bare.port, clients, () => () => '/stored');
        if (round > 0) {
          measured[ours]!.push(byUs);
          measured[theirs]!.push(byBare);
        }
      }
    }
    return [
      ...rowsOf('one client', measured.oneOurs!, measured.oneBare!, '≥ 40,000/s'),
      ...rowsOf(`${CLIENTS} clients`, measured.allOurs!, measured.allBare!, '≥ 60,000/s'),
    ];
  } finally {
    await bare.stop();
  }
}

const filled = new Map<number, number>();

/** Appends a backlog; returns the id of its first update. */
async function fill(append: Append, { id }: FleetBot): Promise<number> {
  const first = filled.get(id) ?? 1;
  for (let from = first; from < first + BACKLOG; from += BATCH) {
    await append(
      id,
      Array.from({ length: BATCH }, (_, at) => from + at),
    );
  }
  filled.set(id, first + BACKLOG);
  return first;
}

async function firstPage(port: number, path: string): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}${path}`)).text();
}

type PollOf = (client: number) => (page: number) => string;

/** Lets each client read a backlog, page by page. */
async function drain(
  cpu: ReturnType<typeof cpuMeter>,
  port: number,
  clients: number,
  pollOf: PollOf,
): Promise<Drained> {
  const pages = BACKLOG / BATCH;
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: clients, pipelining: 1 });
  const client = async (at: number) => {
    const path = pollOf(at);
    for (let page = 0; page < pages; page += 1) {
      const { body } = await pool.request({ path: path(page), method: 'GET' });
      const text = await body.text();
      if (text.length < BATCH * 100) throw new Error(`A page was not full: ${text}`);
    }
  };
  const clientBefore = process.cpuUsage();
  const cost = await cpu.perUpdate(pages * clients, async () => {
    const begunAt = performance.now();
    await Promise.all(Array.from({ length: clients }, (_, at) => client(at)));
    return (BACKLOG * clients * 1000) / (performance.now() - begunAt);
  });
  const { user, system } = process.cpuUsage(clientBefore);
  await pool.close();
  return {
    perSecond: cost.perSecond,
    serverMs: cost.workerUs / 1000,
    redisMs: cost.redisUs / 1000,
    clientMs: (user + system) / 1000 / pages / clients,
  };
}

function rowsOf(who: string, ours: Drained[], bare: Drained[], target: string): Row[] {
  const middle = (drained: Drained[], of: keyof Drained) =>
    percentile(
      drained.map((one) => one[of]),
      50,
    );
  const times = (drained: Drained[]) =>
    `server ${ms(middle(drained, 'serverMs'))}, client ${ms(middle(drained, 'clientMs'))}`;
  const [rate, ceiling] = [middle(ours, 'perSecond'), middle(bare, 'perSecond')];
  return [
    {
      what: `backlog drained by ${who}, limit 100`,
      figure: `${perSecond(rate)}, ${ratio(rate / ceiling)} of a bare server`,
      target,
    },
    { what: '  processor time of 100', figure: `${times(ours)}, Redis ${ms(middle(ours, 'redisMs'))}` },
    { what: '  a bare server with the same pages', figure: `${perSecond(ceiling)}; ${times(bare)}` },
  ];
}
