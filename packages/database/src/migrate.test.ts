import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { migrateToLatest, pendingMigrations } from './migrate.ts';
import { migrations } from './migrations.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase();
});

afterAll(async () => {
  await database.drop();
});

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

test('migrations are listed in their order, each under its timestamp', () => {
  const names = Object.keys(migrations);
  expect(names).toEqual([...names].sort());
  for (const name of names) expect(name).toMatch(/^\d{8}T\d{6}-[a-z0-9-]+$/);
});
