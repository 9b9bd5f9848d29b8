import type { ChildProcess } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '@flotilla/database/connect.ts';
import { runMaintenance } from '@flotilla/testing/fleet/run-maintenance.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { removeDir, throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  [database, folder] = await Promise.all([testDatabase(), throwAwayDir()]);
});
afterAll(async () => {
  await database.drop();
  await removeDir(folder);
});

/** Runs a backup until it waits for a table that another transaction holds. */
async function waitingBackup(holding: Database, name: string) {
  await sql`lock table deletions in access exclusive mode`.execute(holding);
  let child!: ChildProcess;
  const ended = runMaintenance(['backup', join(folder, name)], { DATABASE_URL: database.url }, (process) => {
    child = process;
  });
  await waitFor(async () => (await backends()).includes('Lock'), { message: 'a backup that waits' });
  return { child, ended };
}

async function backends(): Promise<unknown[]> {
  const { rows } = await sql<{ waits: string | null }>`
    select wait_event_type as waits from pg_stat_activity
    where datname = current_database() and application_name = 'flotilla-backup'`.execute(database.db);
  return rows.map(({ waits }) => waits);
}

test('a backup that is stopped ends at once, says so, and leaves nothing behind', async () => {
  await database.db.transaction().execute(async (holding) => {
    const { child, ended } = await waitingBackup(holding, 'stopped');
    child.kill('SIGTERM');
    expect(await ended).toEqual({
      exitCode: 1,
      output: expect.stringMatching(/stopping …\nThe command was stopped before it was done; run it again\.\n$/),
    });
  });
  expect(await readdir(folder)).toEqual([]);
});

test('the server ends what a killed backup was doing', async () => {
  await database.db.transaction().execute(async (holding) => {
    const { child, ended } = await waitingBackup(holding, 'killed');
    child.kill('SIGKILL');
    await ended;
    await waitFor(async () => (await backends()).length === 0, { timeoutMs: 30_000, message: 'its statement to end' });
  });
}, 60_000);
