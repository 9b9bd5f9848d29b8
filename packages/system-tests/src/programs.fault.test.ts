import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import type { FleetProcess } from '@flotilla/testing/fleet/fleet-process.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Puller, startPuller } from './puller.ts';

const CHATS = 10;
const PER_CHAT = 250;
const LOAD = { chats: CHATS, count: CHATS * PER_CHAT, perSecond: 100 };
const ALL_ARRIVED_MS = 120_000;

/** Who reads the one bot: its settings as a program, and the numbers that it must get of every chat. */
const READERS = {
  'all-pulled': { mode: 'pull', wanted: (number: number) => number % 10 !== 7 },
  'even-pulled': { mode: 'pull', filter: { text: '[02468] @' }, wanted: (number: number) => number % 2 === 0 },
  'all-pushed': { mode: 'push', wanted: (number: number) => number % 10 !== 7 },
  'odd-pushed': {
    mode: 'push',
    filter: { text: '[13579] @' },
    wanted: (number: number) => number % 2 === 1 && number % 10 !== 7,
  },
  'takes-sevens': {
    mode: 'push',
    filter: { text: '7 @' },
    exclusive: true,
    wanted: (number: number) => number % 10 === 7,
  },
} as const;
const OWN_BACKEND = 'own-backend';
const NAMES = [...Object.keys(READERS), OWN_BACKEND] as const;

let redis: TestRedis;
let fleet: Fleet;
let backend: TestBackend;
let pullers: Puller[];
/** By reader and chat: the numbers in the order of their first arrival. */
let arrived: Map<string, Map<string, Set<number>>>;

beforeEach(async () => {
  redis = await startTestRedis();
  fleet = await startFleet({ apis: 2, workers: 2 }, {}, undefined, redis);
  arrived = new Map(NAMES.map((name) => [name, new Map()]));
  pullers = [];
  backend = await startBackend((request, response) => {
    record(request.url.slice(1), request.text);
    response.end();
  });
}, 60_000);
afterEach(async () => {
  for (const puller of pullers) await puller.stop();
  await backend.stop();
  await fleet.stop();
  await redis.stop();
}, 60_000);

function record(reader: string, update: string): void {
  const [, chat] = /"chat":\{"id":(-?\d+)/.exec(update) ?? [];
  const [, number] = /"text":"[a-z]*(\d+) @/.exec(update) ?? [];
  if (chat === undefined || number === undefined) return;
  const chats = arrived.get(reader)!;
  const numbers = chats.get(chat) ?? new Set();
  chats.set(chat, numbers.add(Number(number)));
}

test('every program of a bot gets what its filter says, each chat in order, while processes and Redis are killed', async () => {
  const bot = await fleet.addBot({ proxy_enabled: true, backend_url: `${backend.url}/${OWN_BACKEND}` });
  for (const [name, { mode, wanted: _, ...settings }] of Object.entries(READERS)) {
    await addReader(bot, name, mode, settings);
  }
  await fleet.control.generate({ bots: [bot.platformId], ...LOAD });
  await someArrived(300);
  await replace('worker');
  await someArrived(800);
  await replace('api');
  await someArrived(1_200);
  await redis.restart();
  await someArrived(1_500);
  redis.kill();
  await redis.restart();
  await someArrived(1_800);
  await replace('worker');
  await waitFor(() => NAMES.every((name) => countOf(name) === expectedOf(name).length * CHATS), {
    timeoutMs: ALL_ARRIVED_MS,
    message: 'everything to arrive at every reader',
  }).catch(() => {});
  for (const name of NAMES) expect([name, faultsOf(name)]).toEqual([name, []]);
}, 300_000);

/** Adds a program: one that polls with a token of its own, or one that takes pushes. */
async function addReader(bot: FleetBot, name: string, mode: string, settings: object): Promise<void> {
  const { id } = await fleet.rest<{ id: number }>('/api/programs/add', {
    bot_id: bot.id,
    name,
    mode,
    ...(mode === 'push' ? { backend_url: `${backend.url}/${name}` } : {}),
    ...settings,
  });
  if (mode === 'push') return;
  const { token } = await fleet.rest<{ token: string }>('/api/programs/tokens/add', { program_id: id, name: 'own' });
  pullers.push(
    startPuller(
      () => fleet.url,
      token,
      (update) => record(name, update),
    ),
  );
}

/** Kills a process without a warning, and starts another one in its place. */
async function replace(role: 'api' | 'worker'): Promise<void> {
  const among: FleetProcess[] = role === 'api' ? fleet.apis : fleet.workers;
  await among.shift()!.kill();
  await fleet.start(role);
}

const countOf = (name: string) => [...arrived.get(name)!.values()].reduce((sum, numbers) => sum + numbers.size, 0);
const someArrived = (count: number) =>
  waitFor(() => countOf(OWN_BACKEND) >= count, { timeoutMs: ALL_ARRIVED_MS, message: `${count} updates to arrive` });

function expectedOf(name: string): number[] {
  const wanted = name === OWN_BACKEND ? READERS['all-pushed'].wanted : READERS[name as keyof typeof READERS].wanted;
  return Array.from({ length: PER_CHAT }, (_, number) => number).filter(wanted);
}

/** Chats in which numbers are missing, too many, or out of order. */
function faultsOf(name: string): string[] {
  const expected = expectedOf(name);
  const faults = [...arrived.get(name)!].flatMap(([chat, numbers]) => {
    const found = [...numbers];
    const at = expected.findIndex((number, index) => found[index] !== number);
    if (at !== -1) return [`chat ${chat}: ${found[at]} where ${expected[at]} was due, after ${at}`];
    return found.length > expected.length ? [`chat ${chat}: ${found.length - expected.length} too many`] : [];
  });
  return arrived.get(name)!.size === CHATS ? faults : [...faults, `${arrived.get(name)!.size} of ${CHATS} chats`];
}
