import type { BroadcastResource } from '@flotilla/contract/broadcasts.ts';
import { connectDatabase, type Database } from '@flotilla/database/connect.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';

const MANY = 60_000;
const FEW = 60;
const PATIENCE = { timeoutMs: 120_000 };

let fleet: Fleet;
let db: Database;

beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 1 });
  db = connectDatabase({ url: fleet.database.url, maxConnections: 2, queryTimeoutMs: null });
}, 60_000);
afterAll(async () => {
  await db?.destroy();
  await fleet?.stop();
}, 60_000);

const begin = (bot: FleetBot, fields: object = {}) =>
  fleet.rest<BroadcastResource>('/api/broadcasts/add', {
    ...{ bot_id: bot.id, name: 'News', audience: { chat_types: ['private'] } },
    ...{ method: 'sendMessage', params: { text: 'News' }, ...fields },
  });
const shown = (id: number) => fleet.rest<BroadcastResource>(`/api/broadcasts/show?id=${id}`);
const replaceWorker = async () => {
  await fleet.workers.at(-1)?.kill();
  await fleet.start('worker');
};

test('a worker that is killed while it makes entries leaves no chat out, and none twice', async () => {
  const bot = await fleet.addBot();
  await sql`
    insert into chats (bot_id, id, type, last_incoming_date, last_incoming_id)
    select ${bot.id}, id, 'private', 1780000000, 1 from generate_series(1, ${MANY}::bigint) as id`.execute(db);
  const { id } = await begin(bot);
  const made = async () => (await shown(id)).counts.total;
  await waitFor(async () => (await made()) > 0, { ...PATIENCE, pauseMs: 5, message: 'the first entries' });
  await replaceWorker();
  expect(await made()).toBeLessThan(MANY);
  await waitFor(async () => (await made()) === MANY, { ...PATIENCE, message: 'all entries' });
  const { rows } = await sql<{ entries: number; chats: number }>`
    select count(*) as entries, count(distinct chat_id) as chats from outbox where broadcast_id = ${id}`.execute(db);
  expect(rows).toEqual([{ entries: MANY, chats: MANY }]);
  await fleet.rest('/api/broadcasts/cancel', { id });
  await waitFor(async () => (await shown(id)).ended_at !== undefined, { ...PATIENCE, message: 'the end' });
}, 240_000);

test('a worker that is killed while it sends leaves nobody with two messages; who it does not know of is in doubt', async () => {
  const bot = await fleet.addBot();
  const people = await Promise.all(
    Array.from({ length: FEW }, async () => {
      const { id } = await fleet.control.createPerson({});
      await fleet.control.startBot({ person: id, bot: bot.platformId, quietly: true });
      return id;
    }),
  );
  await sql`
    insert into chats (bot_id, id, type, last_incoming_date, last_incoming_id)
    select ${bot.id}, id, 'private', 1780000000, 1 from unnest(${people}::bigint[]) as id`.execute(db);
  const { id } = await begin(bot, { per_second: 5 });
  await waitFor(async () => (await shown(id)).counts.sent >= 5, { ...PATIENCE, message: 'some messages' });
  await replaceWorker();
  await waitFor(async () => (await shown(id)).state === 'done', { ...PATIENCE, message: 'the end' });
  const { counts } = await shown(id);
  expect({ ...counts, sent: counts.sent + counts.in_doubt, in_doubt: 0 }).toMatchObject({ total: FEW, sent: FEW });
  const { calls } = await fleet.control.readCalls({ bot: bot.platformId, method: 'sendMessage' });
  const reached = calls.map(({ params }) => Number(params.chat_id));
  expect(new Set(reached).size).toBe(reached.length);
  expect(reached.length).toBeGreaterThanOrEqual(counts.sent);
}, 240_000);
