import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { expect, test } from '@jest/globals';
import { folderStore } from './backup-folder.ts';
import { CHECKSUM_FILE } from './backup-manifest.ts';
import { nameOfBackup, newestBackup, removeOldBackups, removeUnfinishedBackups } from './kept-backups.ts';

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
  expect(await newestBackup(store)).toBe('2026-11-26T040000Z');
  expect(await removeOldBackups(store, { days: 0, newest: 1 }, NOW_MS)).toEqual([]);
  expect(await removeOldBackups(store, { days: 7, newest: 3 }, NOW_MS)).toEqual([name(10)]);
  expect(await removeOldBackups(store, { days: 7, newest: 1 }, NOW_MS)).toEqual([name(9), name(8)]);
  expect((await readdir(folder)).sort()).toEqual([name(1), 'before-the-upgrade'].sort());
  expect(await removeOldBackups(store, { days: 7, newest: 1 }, NOW_MS + 90 * DAY_MS)).toEqual([]);
});

test('what an interrupted backup left is removed once nothing was written to it for two days', async () => {
  const { folder, store } = await storeWith([name(40)]);
  const unfinished = async (of: string, daysAgo: number) => {
    await mkdir(join(folder, of));
    await writeFile(join(folder, of, 'bots.copy.gz'), 'x');
    const changed = (NOW_MS - daysAgo * DAY_MS) / 1000;
    for (const path of [join(folder, of, 'bots.copy.gz'), join(folder, of)]) await utimes(path, changed, changed);
  };
  await unfinished(`${name(3)}.17.partial`, 3);
  await unfinished(name(5), 4);
  // Another process may be writing these, or somebody brings an old one back.
  await unfinished(`${name(1)}.18.partial`, 1);
  await unfinished(`${name(4)}.19.partial`, 1);
  await unfinished(name(30), 0);
  await unfinished('before-the-upgrade.20.partial', 9);
  const kept = (await readdir(folder)).filter((one) => one !== `${name(3)}.17.partial` && one !== name(5));
  const removed = await removeUnfinishedBackups(store, NOW_MS);
  expect(removed.sort()).toEqual([name(5), `${name(3)}.17.partial`]);
  expect((await readdir(folder)).sort()).toEqual(kept.sort());
  expect(await newestBackup(store)).toBe(name(40));
});

test('a place without backups has no newest one', async () => {
  const { folder, store } = await storeWith(['before-the-upgrade']);
  await expect(newestBackup(store)).rejects.toMatchObject({ code: 'not_found' });
  const none = newestBackup(folderStore(join(folder, 'none')));
  await expect(none).rejects.toMatchObject({
    code: 'not_found',
    message: `There is no directory ${join(folder, 'none')}`,
  });
});
