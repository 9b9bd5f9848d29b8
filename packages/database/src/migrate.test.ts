import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type Kysely, sql } from 'kysely';
import { connectDatabase } from './connect.ts';
import { applySteps, migrateToLatest } from './migrate.ts';
import { migrationNames } from './migration-names.ts';
import { migrations } from './migrations.ts';
import { pendingMigrations } from './pending-migrations.ts';
import type { SchemaStep } from './schema-step.ts';

let database: TestDatabase;

beforeEach(async () => {
  database = await testDatabase();
});
afterEach(async () => {
  await database.drop();
});

const LATER = '29990101T000000-later';
const LATEST = '29990102T000000-latest';
const step = (statement: string, more: Partial<SchemaStep> = {}): SchemaStep => ({
  up: (db: Kysely<unknown>) =>
    sql
      .raw(statement)
      .execute(db)
      .then(() => {}),
  ...more,
});
const apply = (steps: Record<string, SchemaStep>) =>
  applySteps(database.db, { ...migrations, ...steps }, Object.keys(steps).at(-1)!);

async function locksOfBots(granted: boolean): Promise<number> {
  const { rows } = await sql`
    select from pg_locks where relation = 'bots'::regclass and pid <> pg_backend_pid() and granted = ${granted}`.execute(
    database.db,
  );
  return rows.length;
}

test('a migrated database lacks nothing, and migrating it again does nothing', async () => {
  expect(await pendingMigrations(database.db)).toEqual([]);
  expect(await migrateToLatest(database.db)).toEqual([]);
});

test('an empty database lacks all, and of several that migrate it at once one does', async () => {
  await sql`drop schema public cascade`.execute(database.db);
  await sql`create schema public`.execute(database.db);
  const names = Object.keys(migrations);
  expect(await pendingMigrations(database.db)).toEqual(names);
  const applied = await Promise.all([migrateToLatest(database.db), migrateToLatest(database.db)]);
  expect(applied.flat()).toEqual(names);
  expect(await pendingMigrations(database.db)).toEqual([]);
});

test('one connection is enough', async () => {
  await sql`drop schema public cascade`.execute(database.db);
  await sql`create schema public`.execute(database.db);
  const db = connectDatabase({ url: database.url, maxConnections: 1 });
  expect(await migrateToLatest(db)).toEqual(Object.keys(migrations));
  await db.destroy();
});

test('every file of a migration is listed, in order, under its timestamp', () => {
  const names = Object.keys(migrations);
  expect(names).toEqual(migrationNames);
  for (const name of names) expect(name).toMatch(/^\d{8}T\d{6}-[a-z0-9-]+$/);
});

describe('a migration', () => {
  test('that fails is rolled back alone: those before it stay, and it can be tried again', async () => {
    const broken = {
      [LATER]: step('create table one (id int)'),
      [LATEST]: step('create table two (id int); select 1/0'),
    };
    await expect(apply(broken)).rejects.toThrow('division by zero');
    await sql`select from one`.execute(database.db);
    await expect(sql`select from two`.execute(database.db)).rejects.toThrow('does not exist');
    expect(await apply({ ...broken, [LATEST]: step('create table two (id int)') })).toEqual([LATEST]);
  });

  test('does not wait long for a lock, so that nobody waits behind it, and gets it when it is free', async () => {
    let release = () => {};
    const holding = database.db.transaction().execute(async (transaction) => {
      await sql`lock table bots in access share mode`.execute(transaction);
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    });
    await waitFor(async () => (await locksOfBots(true)) > 0);
    const migrating = apply({ [LATER]: step('alter table bots add later text') });
    await waitFor(async () => (await locksOfBots(false)) > 0);
    // A reader queues behind the migration that waits for the table, and must still get through in time.
    await sql`select from bots`.execute(database.db);
    release();
    await holding;
    expect(await migrating).toEqual([LATER]);
  });

  test('may run outside a transaction, as building an index beside writers must', async () => {
    const indexed = step('create index concurrently chats_later on chats (title)', {
      outsideTransaction: true,
    });
    expect(await apply({ [LATER]: indexed })).toEqual([LATER]);
    expect(await apply({ [LATER]: indexed })).toEqual([]);
  });

  test('of a newer release does not keep this one from starting or from migrating nothing', async () => {
    await apply({ [LATER]: step('alter table bots add later text') });
    expect(await pendingMigrations(database.db)).toEqual([]);
    expect(await migrateToLatest(database.db)).toEqual([]);
  });
});
