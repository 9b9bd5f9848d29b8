import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { readMemory, shareOf } from '@flotilla/redis/memory.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ledger } from './ledger.ts';

const MB = 1024 * 1024;
const CHATS = 10;
/** More than the 2,000 that stop the intake of a bot while memory is tight. */
const BATCH = 2_500;
const SHARE = 0.66;
const PATIENCE = { timeoutMs: 150_000 };

let fleet: Fleet;
let redis: RedisHandles;
let backend: TestBackend;
let heals = false;
const [own, late] = [ledger(), ledger()];

beforeEach(async () => {
  fleet = await startFleet({ apis: 1, workers: 2 });
  redis = await connectRedis({ url: fleet.redis.url, log: { warn: () => {} } });
  backend = await startBackend((request, response) => {
    const takes = request.url === '/own' || heals;
    if (takes) (request.url === '/own' ? own : late).record(request.text);
    response.writeHead(takes ? 200 : 503).end();
  });
}, 60_000);
afterEach(async () => {
  await backend.stop();
  await redis.close();
  await fleet.stop();
}, 60_000);

const share = async () => shareOf(await readMemory(redis, null));
const show = ({ id }: ProgramResource) => fleet.rest<ProgramResource>(`/api/programs/show?id=${id}`);
const generate = (bot: FleetBot, count: number) =>
  fleet.control.generate({ bots: [bot.platformId], chats: CHATS, count });
/** Keeps memory tight, whatever is written and removed meanwhile. */
async function tighten(): Promise<void> {
  const { usedBytes } = await readMemory(redis, null);
  await Promise.all(redis.servers().map((server) => server.config('SET', 'maxmemory', Math.ceil(usedBytes / SHARE))));
}

/** Every process measures for itself. */
async function untilTight(): Promise<void> {
  const shares = () => Promise.all(fleet.workers.map((one) => readMetric(one, 'flotilla_redis_memory_share')));
  await waitFor(async () => {
    await tighten();
    return (await shares()).every((measured) => measured! > 0.62);
  }, PATIENCE);
}

test('a program whose backend is dead does not stop the intake of its bot while memory is tight: it is parked', async () => {
  // So much that what the test itself writes changes the share little. One command for all of it could reach its time limit.
  for (let at = 0; at < 16; at += 1) await redis.commands.setrange(`{filler}${at}`, 4 * MB, 'x');
  const bot = await fleet.addBot({ proxy_enabled: true, backend_url: `${backend.url}/own` });
  const program = await fleet.rest<ProgramResource>('/api/programs/add', {
    ...{ bot_id: bot.id, name: 'late', mode: 'push', backend_url: `${backend.url}/late` },
  });
  await generate(bot, BATCH);
  await waitFor(() => own.count() === BATCH, { ...PATIENCE, message: 'the first ones at the backend of the bot' });
  expect(await show(program)).toMatchObject({ pending_update_count: BATCH, parked: false });
  for (const batches of [2, 3]) {
    await untilTight();
    await generate(bot, BATCH);
    await waitFor(
      async () => {
        await tighten();
        return own.count() === batches * BATCH;
      },
      { ...PATIENCE, message: `batch ${batches} at the backend of the bot` },
    );
    expect(await share()).toBeGreaterThan(0.55);
    expect((await readersOf(bot, program)).state).toBe('parked');
  }
  const reason = 'Redis is short of memory, and what waited for it would have stopped the intake of the bot';
  const letters = await waitFor(async () => {
    const path = `/api/deliveries?bot_id=${bot.id}&program_id=${program.id}&state=dead&reason_code=too_far_behind`;
    const found = await fleet.rest<{ last_error: string }[]>(path);
    return found.length > 0 && found;
  }, PATIENCE);
  for (const { last_error } of letters || []) expect(last_error).toBe(`the program was parked: ${reason}`);
  heals = true;
  await Promise.all(redis.servers().map((server) => server.config('SET', 'maxmemory', 0)));
  await fleet.rest('/api/programs/resume-backend', { id: program.id });
  const filter = { bot_id: bot.id, reader: 'program', program_id: program.id };
  await waitFor(async () => {
    await fleet.rest('/api/deliveries/redrive', { filter });
    return late.count() === 3 * BATCH;
  }, PATIENCE);
  expect(own.faults(BATCH / CHATS)).toEqual([]);
}, 600_000);

async function readersOf(bot: FleetBot, { id }: ProgramResource) {
  const readers = await fleet.rest<{ program_id: number; state: string }[]>(`/api/programs/readers?bot_id=${bot.id}`);
  return readers.find(({ program_id }) => program_id === id)!;
}
