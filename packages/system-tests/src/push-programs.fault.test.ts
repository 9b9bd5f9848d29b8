import { setTimeout as delay } from 'node:timers/promises';
import { connectDatabase } from '@flotilla/database/connect.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { busiestWorker } from '@flotilla/testing/fleet/busiest-worker.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Ledger, ledger } from './ledger.ts';

const CHATS = 8;
const PER_CHAT = 120;
const LOAD = { chats: CHATS, count: CHATS * PER_CHAT, perSecond: 60 };
const WITHIN = { timeoutMs: 90_000 };
const FLOOD = { chats: CHATS, count: CHATS * 400, perSecond: 400 };
/** With one request at once, the flood would take this long for each update. */
const SLOW_MS = 100;

type Program = { id: number; name: string; parked: boolean; backend_state?: string; pending_update_count: number };
type Receiver = { book: Ledger; backend: TestBackend };

let fleet: Fleet;
let stops: (() => Promise<unknown>)[];
beforeEach(async () => {
  stops = [];
  fleet = await startFleet({ apis: 2, workers: 2 });
}, 120_000);
afterEach(async () => {
  for (const stop of stops) await stop();
  await fleet.stop();
}, 120_000);

/** A backend that keeps a book of what it accepts; `takes` says how it answers, null that it never does. */
async function receiver(takes: () => number | null = () => 200, afterMs = 0): Promise<Receiver> {
  const book = ledger();
  const backend = await startBackend(async (request, response) => {
    if (afterMs > 0) await delay(afterMs);
    const status = takes();
    if (status === 200) book.record(request.text);
    if (status !== null) response.writeHead(status).end();
  });
  stops.push(() => backend.stop());
  return { book, backend };
}

const addProgram = (bot: FleetBot, name: string, fields: object = {}) =>
  fleet.rest<Program>('/api/programs/add', { bot_id: bot.id, name, ...fields });
const pushTo = (bot: FleetBot, name: string, { backend }: Receiver) =>
  addProgram(bot, name, { mode: 'push', backend_url: backend.url });
const show = ({ id }: Program) => fleet.rest<Program>(`/api/programs/show?id=${id}`);

/** Polls as a program until it is stopped. */
function poller(bot: FleetBot, { id }: Program): Ledger {
  const book = ledger();
  let [offset, stopped] = [0, false];
  const polling = (async () => {
    while (!stopped) {
      const path = `/api/updates/poll?bot_id=${bot.id}&program_id=${id}&timeout=1&offset=${offset}`;
      const { result } = await fleet
        .rest<{ result: { update_id: number }[] }>(path)
        .catch(() => ({ result: [] as { update_id: number }[] }));
      for (const update of result) {
        book.record(JSON.stringify(update));
        offset = update.update_id + 1;
      }
    }
  })();
  stops.unshift(() => {
    stopped = true;
    return polling;
  });
  return book;
}

async function killBusiest(kind: string): Promise<void> {
  const victim = await busiestWorker(fleet, kind);
  fleet.workers.splice(fleet.workers.indexOf(victim), 1);
  await victim.kill();
}

test('one hangs, one fails and heals, a worker is killed: the backend and every other program get all, in order', async () => {
  let heals = false;
  const own = await receiver();
  const hanging = await receiver(() => null);
  const failing = await receiver(() => (heals ? 200 : 500));
  const sound = await receiver();
  const bot = await fleet.addBot({ proxy_enabled: true, backend_url: own.backend.url });
  const [hangs, fails] = [await pushTo(bot, 'hangs', hanging), await pushTo(bot, 'fails', failing)];
  await pushTo(bot, 'sound', sound);
  const polls = [poller(bot, await addProgram(bot, 'one')), poller(bot, await addProgram(bot, 'two'))];
  await fleet.control.generate({ bots: [bot.platformId], ...LOAD });
  await waitFor(() => sound.book.count() > 100, WITHIN);
  await killBusiest('programs');
  const healthy = [own.book, sound.book, ...polls];
  await waitFor(() => healthy.every((book) => book.count() === LOAD.count), {
    ...WITHIN,
    message: 'all of the healthy',
  });
  expect(healthy.map((book) => book.faults(PER_CHAT))).toEqual([[], [], [], []]);
  await waitFor(async () => (await show(fails)).backend_state === 'open', WITHIN);
  expect(failing.book.count()).toBe(0);
  heals = true;
  await waitFor(() => failing.book.count() === LOAD.count, {
    timeoutMs: 150_000,
    message: 'all of the one that healed',
  });
  expect(failing.book.faults(PER_CHAT)).toEqual([]);
  expect(hanging.book.count()).toBe(0);
  expect((await show(hangs)).pending_update_count).toBe(LOAD.count);
}, 400_000);

test('one that takes a flood slowly gets all of it, and holds up neither the bot nor its other programs', async () => {
  const [own, beside] = [await receiver(), await receiver()];
  const slow = await receiver(() => 200, SLOW_MS);
  const bot = await fleet.addBot({ proxy_enabled: true, backend_url: own.backend.url });
  const flooded = await addProgram(bot, 'flooded', {
    ...{ mode: 'push', backend_url: slow.backend.url, max_connections: 1 },
  });
  await pushTo(bot, 'beside', beside);
  const polls = poller(bot, await addProgram(bot, 'polls'));
  await fleet.control.generate({ bots: [bot.platformId], ...FLOOD });
  const others = [own.book, beside.book, polls];
  await waitFor(() => others.every((book) => book.count() === FLOOD.count), {
    timeoutMs: 120_000,
    message: 'the flood at all others',
  });
  expect(others.map((book) => book.faults(FLOOD.count / CHATS))).toEqual([[], [], []]);
  // It is far behind by then, and none of what waits for it is lost.
  expect((await show(flooded)).pending_update_count).toBeGreaterThan(0);
  await fleet.rest('/api/programs/update', { id: flooded.id, max_connections: 40 });
  await waitFor(() => slow.book.count() === FLOOD.count, { timeoutMs: 240_000, message: 'the flood at the slow one' });
  expect(slow.book.faults(FLOOD.count / CHATS)).toEqual([]);
}, 500_000);

test('dead letters of a program are listed with its name, and sent again to it alone', async () => {
  const [own, of] = [await receiver(), await receiver()];
  const bot = await fleet.addBot({ proxy_enabled: true, backend_url: own.backend.url });
  const program = await pushTo(bot, 'relay', of);
  const db = connectDatabase({ url: fleet.database.url, maxConnections: 1 });
  stops.push(() => db.destroy());
  const letter = (id: number) => ({
    ...{ bot_id: bot.id, reader: `program:${program.id}`, update_id: id, reason: 'Read timeout expired', attempts: 9 },
    payload: `{"update_id":${id},"message":{"message_id":${id},"chat":{"id":5,"type":"private"},"text":"n${id} @1"}}`,
    reason_code: 'timed_out',
  });
  await db
    .insertInto('dead_letters')
    .values([letter(1), letter(2)])
    .execute();
  const listed = await fleet.rest<object[]>(`/api/deliveries?bot_id=${bot.id}&program_id=${program.id}`);
  const names = { reader: 'program', program_id: program.id, program_name: 'relay' };
  expect(listed).toMatchObject([names, names]);
  const filter = { reader: 'program' };
  expect(await fleet.rest('/api/deliveries/redrive', { bot_id: bot.id, filter })).toMatchObject({
    done: 2,
    refused: 0,
  });
  await of.backend.waitForRequests(2, 30_000);
  expect(of.backend.requests.map(({ headers }) => headers['flotilla-delivery-id'])).toEqual([
    `${bot.id}-p${program.id}-1`,
    `${bot.id}-p${program.id}-2`,
  ]);
  expect(own.backend.requests).toEqual([]);
  type Attempt = { program_id?: number; program_name?: string };
  const attempts = () => fleet.rest<Attempt[]>(`/api/deliveries/attempts?bot_id=${bot.id}&program_id=${program.id}`);
  await waitFor(async () => (await attempts()).length === 2, WITHIN);
  expect((await attempts())[0]).toMatchObject({ program_id: program.id, program_name: 'relay' });
  await db.insertInto('dead_letters').values(letter(3)).execute();
  await fleet.rest('/api/programs/delete', { id: program.id });
  expect(await fleet.rest<object[]>(`/api/deliveries?bot_id=${bot.id}`)).toEqual([]);
}, 200_000);
