import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { expect, test } from '@jest/globals';
import { installedPostgres } from './installed-postgres.ts';

test('the newest installed Postgres comes first, one that is too old or has no initdb is passed over, and none is told our settings', async () => {
  const dir = await throwAwayDir();
  const install = async (name: string, version: string, programs: string[]) => {
    const folder = join(dir, name);
    await mkdir(folder);
    for (const program of programs) {
      const script = `#!/bin/sh\nenv >> ${dir}/told\necho "${program} (PostgreSQL) ${version}"\n`;
      await writeFile(join(folder, program), script, { mode: 0o755 });
    }
    return folder;
  };
  const folders = [
    await install('old', '15.14 (Debian 15.14-0+deb12u1)', ['postgres', 'initdb']),
    await install('older', '916.4', ['postgres', 'initdb']),
    await install('newest', '917.6 (Debian 917.6-0+deb13u1)', ['postgres', 'initdb']),
    await install('alone', '918.1', ['postgres']),
  ];
  const found = await installedPostgres(null, folders.join(':'));
  expect(found.filter(({ postgres }) => postgres.startsWith(dir)).map(({ major }) => major)).toEqual([917, 916]);
  const told = (await readFile(join(dir, 'told'), 'utf8')).trimEnd().split('\n');
  // The shell adds some of its own.
  const names = new Set(told.map((line) => line.split('=')[0]));
  expect([...names].filter((name) => !['PATH', 'LC_ALL', 'PWD', 'OLDPWD', 'SHLVL', '_'].includes(name!))).toEqual([]);
  await rm(dir, { recursive: true });
});
