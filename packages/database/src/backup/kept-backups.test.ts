import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { expect, test } from '@jest/globals';
import { folderStore } from './backup-folder.ts';
import { CHECKSUM_FILE } from './backup-manifest.ts';
import { nameOfBackup, newestBackup, removeOldBackups } from './kept-backups.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.parse('2026-11-27T04:00:00Z');
const name = (daysAgo: number) => nameOfBackup(NOW_MS - daysAgo * DAY_MS);

async function storeWith(names: string[]) {
  const folder = await throwAwayDir();
  for (const one of names) {
    await mkdir(join(folder, one));
    await writeFile(join(folder, one, CHECKSUM_FILE), '');
  }
  return { folder, store: folderStore(folder) };
}

test('backups older than so many days are removed, but never the newest few, nor what has another name', async () => {
  const { folder, store } = await storeWith([name(1), name(8), name(9), name(10), 'before-the-upgrade']);
  await mkdir(join(folder, name(20)));
  expect(await newestBackup(store)).toBe('2026-11-26T040000Z');
  expect(await removeOldBackups(store, { days: 0, newest: 1 }, NOW_MS)).toEqual([]);
  expect(await removeOldBackups(store, { days: 7, newest: 3 }, NOW_MS)).toEqual([name(10)]);
  expect(await removeOldBackups(store, { days: 7, newest: 1 }, NOW_MS)).toEqual([name(9), name(8)]);
  // One without checksums is not complete: another process may be writing it.
  expect((await readdir(folder)).sort()).toEqual([name(20), name(1), 'before-the-upgrade'].sort());
  expect(await removeOldBackups(store, { days: 7, newest: 1 }, NOW_MS + 90 * DAY_MS)).toEqual([]);
});

test('a place without backups has no newest one', async () => {
  const { store } = await storeWith(['before-the-upgrade']);
  await expect(newestBackup(store)).rejects.toMatchObject({ code: 'not_found' });
});
