import { mkdir, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { readDatabaseState } from '@flotilla/database/server-state.ts';
import { runMaintenance } from '@flotilla/testing/fleet/run-maintenance.ts';
import { administer, type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { removeDir, throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const READER = `reader_${process.pid}`;

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  database = await testDatabase();
  folder = await throwAwayDir();
  await administer(database.url, `create role ${READER} login password 'x' in role pg_read_all_data`);
});
afterAll(async () => {
  await administer(database.url, `drop role ${READER}`);
  await database.drop();
  await removeDir(folder);
});

test('a backup by a role that may only read is complete, and says that nobody can note it', async () => {
  const url = Object.assign(new URL(database.url), { username: READER, password: 'x' }).href;
  const made = await runMaintenance(['backup', join(folder, 'read')], { DATABASE_URL: url });
  expect(made).toMatchObject({ exitCode: 0, output: expect.stringContaining('could not note this backup') });
  expect(await readDatabaseState(database.db)).toMatchObject({ lastBackupBytes: 0 });
});

test('a backup by the owner is noted with its size', async () => {
  const made = await runMaintenance(['backup', join(folder, 'owned')], { DATABASE_URL: database.url });
  expect(made).toMatchObject({ exitCode: 0, output: expect.not.stringContaining('could not note') });
  expect((await readDatabaseState(database.db)).lastBackupBytes).toBeGreaterThan(1000);
});

test('what an interrupted backup left goes before the next one is written, also when that fails', async () => {
  const into = join(folder, 'daily');
  const left = join(into, '2020-01-01T040000Z.17.partial');
  await mkdir(left, { recursive: true });
  await utimes(left, 1_577_851_200, 1_577_851_200);
  const failed = await runMaintenance(['backup', '--into', into], {
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  });
  expect(failed).toMatchObject({ exitCode: 1, output: expect.stringContaining('2020-01-01T040000Z.17.partial') });
  expect(await readdir(into)).toEqual([]);
  const made = await runMaintenance(['backup', '--into', join(folder, 'new')], { DATABASE_URL: database.url });
  expect(made).toMatchObject({ exitCode: 0 });
});
