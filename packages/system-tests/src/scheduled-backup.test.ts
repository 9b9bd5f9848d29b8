import { mkdir, readdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { runMaintenance } from '@flotilla/testing/fleet/run-maintenance.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

const OLD = ['2026-01-01T03-17-00Z', '2026-01-02T03-17-00Z', '2026-01-03T03-17-00Z'];
const LEFT = '2026-01-03T04-17-00Z.7.partial';
const AT_WORK = '2026-01-03T05-17-00Z.7.partial';
const OF_OTHERS = ['2026-01-01-0400', 'lost+found', 'notes.partial'];

let database: TestDatabase;
let folder: string;

beforeEach(async () => {
  database = await testDatabase();
  folder = join(await throwAwayDir(), 'backups');
});
afterEach(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const run = (...args: string[]) => runMaintenance(['scheduled-backup', ...args], { DATABASE_URL: database.url });

test('adds a complete backup, and keeps the newest ones and what others put there', async () => {
  const before = [...OLD, LEFT, AT_WORK, ...OF_OTHERS];
  for (const name of before) await mkdir(join(folder, name), { recursive: true });
  await utimes(join(folder, LEFT), 0, 0);
  expect(await run(folder, '2')).toMatchObject({ exitCode: 0, output: expect.stringContaining('Removed') });
  const after = await readdir(folder);
  const made = after.filter((name) => !before.includes(name));
  expect(after.sort()).toEqual([OLD[2], AT_WORK, ...OF_OTHERS, ...made].sort());
  expect(made).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/)]);
  expect(await readdir(join(folder, made[0]!))).toContain('manifest.json');
});

test('a backup that fails removes nothing', async () => {
  for (const name of OLD) await mkdir(join(folder, name), { recursive: true });
  const nowhere = { DATABASE_URL: 'postgres://flotilla:unreachable-server@127.0.0.1:1/flotilla' };
  expect(await runMaintenance(['scheduled-backup', folder, '1'], nowhere)).toMatchObject({ exitCode: 1 });
  expect((await readdir(folder)).sort()).toEqual(OLD);
});

test.each([[[]], [['/backups']], [['/backups', '0']], [['/backups', '14', 'more']]])(
  'says how it is called when it is called with %j',
  async (args) => {
    const { exitCode, output } = await run(...args);
    expect({ exitCode, output }).toEqual({
      exitCode: 1,
      output: expect.stringContaining('scheduled-backup /backups 14'),
    });
  },
);
