import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { migrateToLatest } from './migrate.ts';
import {
  detachOldestMonth,
  lockedBriefly,
  makeComingMonths,
  makeMonths,
  PARTITIONED_TABLES,
  readPartitions,
} from './month-partitions.ts';

const CHAT = -7;
const DAY_S = 86_400;
const atS = (text: string) => Date.parse(`${text}Z`) / 1000;
const nowS = Math.floor(Date.now() / 1000);

let database: TestDatabase;
let botId: number;

beforeEach(async () => {
  database = await testDatabase();
  botId = await storedBot(database.db);
});
afterEach(async () => {
  await database.drop();
});

const namesOf = async () => (await readPartitions(database.db, 'messages')).map(({ name }) => name.slice(9));
const monthOf = (atS: number) => new Date(atS * 1000).toISOString().slice(0, 7).replace('-', '_');
const store = (...dates: number[]) =>
  storeMessages(
    database.db,
    botId,
    dates.map((date, at) => ({ chat_id: CHAT, id: at + 1, date, text: 'word' })),
  );

/** The ids of the messages by the partition they lie in. */
async function placed(): Promise<Record<string, number[]>> {
  const { rows } = await sql<{ name: string; ids: number[] }>`
    select substring(tableoid::regclass::text from 10) as name, array_agg(id::int order by id) as ids
    from messages group by 1`.execute(database.db);
  return Object.fromEntries(rows.map(({ name, ids }) => [name, ids]));
}

test('a migrated database has the present month and those ahead, without gaps, in each table', async () => {
  for (const table of PARTITIONED_TABLES) {
    const partitions = await readPartitions(database.db, table);
    expect(partitions.at(0)?.fromS).toBeNull();
    expect(partitions.at(-1)?.untilS).toBeNull();
    expect(partitions.slice(1).map(({ fromS }) => fromS)).toEqual(partitions.slice(0, -1).map(({ untilS }) => untilS));
    const months = partitions.slice(1, -1);
    expect(months).toHaveLength(2);
    expect(months[0]?.fromS).toBeLessThanOrEqual(nowS);
    expect(months[0]?.untilS).toBeGreaterThan(nowS);
  }
});

test('no date is refused, and rows move into their month when that is made', async () => {
  const [old, soon, far] = [nowS - 200 * DAY_S, nowS + 200 * DAY_S, atS('2999-01-01')];
  await store(1, old, nowS, soon, far);
  expect(await placed()).toEqual({ before: [1, 2], [monthOf(nowS)]: [3], after: [4, 5] });
  await makeComingMonths(database.db, soon);
  await makeMonths(database.db, 'messages', old, old);
  expect(await placed()).toEqual({
    before: [1],
    [monthOf(old)]: [2],
    [monthOf(nowS)]: [3],
    [monthOf(soon)]: [4],
    after: [5],
  });
}, 60_000);

test('months are made once, whoever makes them at the same time', async () => {
  await Promise.all([nowS, nowS, nowS].map((at) => makeComingMonths(database.db, at + 100 * DAY_S)));
  const names = await namesOf();
  expect(new Set(names).size).toBe(names.length);
});

test('a release is migrated also while something keeps the tables from changing, as a backup does', async () => {
  await sql`drop table ${sql.table((await readPartitions(database.db, 'messages')).at(-2)!.name)}`.execute(database.db);
  const [last] = (await readPartitions(database.db, 'messages')).slice(-1);
  const [month] = (await readPartitions(database.db, 'messages')).slice(-2);
  await sql`alter table messages detach partition ${sql.table(last!.name)}`.execute(database.db);
  const bounds = sql.raw(`from (${month!.untilS}) to (maxvalue)`);
  await sql`alter table messages attach partition ${sql.table(last!.name)} for values ${bounds}`.execute(database.db);
  await database.db.transaction().execute(async (transaction) => {
    await sql`lock table messages in access share mode`.execute(transaction);
    expect(await migrateToLatest(database.db)).toEqual([]);
  });
  expect(await namesOf()).toHaveLength(3);
  await migrateToLatest(database.db);
  expect(await namesOf()).toHaveLength(4);
}, 60_000);

test('the oldest month can be taken out, and what comes late of it is kept', async () => {
  await makeMonths(database.db, 'messages', atS('2020-01-15'), atS('2020-03-15'));
  await store(atS('2020-01-10'), atS('2020-02-10'));
  const detach = (before: string) =>
    database.db.transaction().execute((transaction) => detachOldestMonth(transaction, 'messages', atS(before)));
  expect(await detach('2020-01-31')).toBeNull();
  expect(await detach('2020-02-01')).toEqual({ name: 'messages_2020_01', untilS: atS('2020-02-01') });
  expect(await placed()).toEqual({ '2020_02': [2] });
  await storeMessages(database.db, botId, [{ chat_id: CHAT, id: 9, date: atS('2020-01-20'), text: 'late' }]);
  expect(await placed()).toEqual({ before: [9], '2020_02': [2] });
  const { rows } = await sql`select id from messages_2020_01`.execute(database.db);
  expect(rows).toEqual([{ id: 1 }]);
}, 60_000);

test('a month is made while others write, who wait for moments at most', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const writing = database.db.transaction().execute(async (transaction) => {
    await sql`select from messages`.execute(transaction);
    await held;
  });
  let tries = 0;
  const making = lockedBriefly(async () => {
    tries += 1;
    if (tries === 2) release();
    await database.db.transaction().execute(async (transaction) => {
      await sql`set local lock_timeout = 100`.execute(transaction);
      await sql`lock table messages in access exclusive mode`.execute(transaction);
    });
  });
  await making;
  await writing;
  expect(tries).toBe(2);
});
