import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ownData } from './own-data.ts';

describe('A data directory', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await throwAwayDir();
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  test('is made when missing, belongs to one process at a time, and can be given back', async () => {
    const dataDir = join(dir, 'a/b');
    const giveBack = await ownData(dataDir);
    expect((await stat(dataDir)).isDirectory()).toBe(true);
    await expect(ownData(dataDir)).rejects.toThrow(`already runs over ${dataDir} (process ${process.pid})`);
    await giveBack();
    await (await ownData(dataDir))();
  });

  test('is free again when its owner died, also if another process has the number now', async () => {
    await writeFile(join(dir, 'owner'), `${process.pid} 12345`);
    const giveBack = await ownData(dir);
    expect(await readFile(join(dir, 'owner'), 'utf8')).not.toContain(' 12345');
    await giveBack();
  });

  test('whose owner died goes to one of the starts that take it at the same time', async () => {
    for (let round = 0; round < 20; round += 1) {
      await writeFile(join(dir, 'owner'), round % 2 ? '' : `${process.pid} 12345`);
      const starts = await Promise.allSettled(
        Array.from({ length: 12 }, async (_, at) => {
          for (let turn = 0; turn < at * 3; turn += 1) await setImmediate();
          return ownData(dir);
        }),
      );
      const won = starts.filter((start) => start.status === 'fulfilled');
      expect(won).toHaveLength(1);
      await won[0]!.value();
    }
  }, 60_000);

  test('belongs to the process of another machine as long as that says that it lives', async () => {
    const owner = join(dir, 'owner');
    await writeFile(owner, '7 1 elsewhere');
    const alive = setInterval(() => void utimes(owner, new Date(), new Date()), 100);
    await expect(ownData(dir)).rejects.toThrow('process 7 on elsewhere');
    clearInterval(alive);
    await (await ownData(dir))();
  }, 30_000);

  test('that cannot be made is refused with one sentence', async () => {
    await writeFile(join(dir, 'file'), '');
    await expect(ownData(join(dir, 'file/data'))).rejects.toThrow(/data directory .* cannot be made/);
  });
});
