import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { endConfirmations, holdUnusual } from './confirm-removals.ts';
import { countUpTo } from './estimate-rows.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

test('a large removal each week is usual also between small ones, until there was none for 35 days', async () => {
  const { db } = database;
  const plan = (rows: number) => ({ table: 'outbox', rows, total: 1_000_000, before: new Date() });
  const held = async (rows: number) => (await holdUnusual(db, [plan(rows)])).has('outbox');
  const last = async () =>
    (await sql<{ rows: number }>`select last_rows as rows from removals where table_name = 'outbox'`.execute(db))
      .rows[0]?.rows;
  expect([await held(40_000), await held(1_500), await last(), await held(45_000)]).toEqual([
    false,
    false,
    40_000,
    false,
  ]);
  await sql`update removals set last_at = now() - interval '36 days' where table_name = 'outbox'`.execute(db);
  expect([await held(1_500), await last(), await held(45_000)]).toEqual([false, 1_500, true]);
});

test('what is confirmed while a worker looks stays confirmed, and ends also when little is left of it', async () => {
  const { db } = database;
  const plan = { table: 'events', rows: 5_000, total: 10_000, before: new Date() };
  expect(await holdUnusual(db, [plan])).toEqual(new Set(['events']));
  const looking = await db.transaction().execute(async (transaction) => {
    await sql`update removals set confirmed_rows = waiting_rows, confirmed_at = now() where table_name = 'events'`.execute(
      transaction,
    );
    const held = holdUnusual(db, [plan]);
    const blocked = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await waitFor(async () => (await blocked.execute(db)).rows.length > 0);
    return { held };
  });
  await looking.held;
  expect(await holdUnusual(db, [plan])).toEqual(new Set());
  await endConfirmations(db, new Set());
  expect(await db.selectFrom('removals').selectAll().where('confirmed_at', 'is not', null).execute()).toEqual([]);
});

test('rows are counted up to a limit, and only if that is quick', async () => {
  const { db } = database;
  expect(await countUpTo(db, sql`select from generate_series(1, 20)`, 10)).toBe(10);
  expect(await countUpTo(db, sql`select from generate_series(1, 5)`, 10)).toBe(5);
  expect(await countUpTo(db, sql`select from pg_sleep(4)`, 10)).toBeNull();
});
