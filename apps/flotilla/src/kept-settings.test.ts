import { execFile } from 'node:child_process';
import { chown, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { keepSecrets, readKept } from './kept-settings.ts';

const NOBODY = 65_534;
let dir: string;
beforeAll(async () => {
  dir = await throwAwayDir();
});
afterAll(() => rm(dir, { recursive: true, force: true }));

test('of the files in a data directory, only what a start writes there counts: no command of somebody else', async () => {
  const secrets = await keepSecrets(dir, { demo: false });
  const lines = Object.entries(secrets).map(([name, value]) => `${name}=${value}`);
  const foreign = ['DATABASE_PASSWORD_COMMAND=touch /tmp/mine', 'TELEGRAM_API_URL=http://elsewhere.example'];
  await writeFile(join(dir, 'flotilla.env'), [...lines, ...foreign].join('\n'));
  await writeFile(join(dir, 'stores.env'), ['REDIS_URL=redis://127.0.0.1:1', ...foreign].join('\n'));
  expect(await readKept(dir)).toEqual({ ...secrets, REDIS_URL: 'redis://127.0.0.1:1' });
  expect(await keepSecrets(dir, { demo: false })).toEqual(secrets);
});

test('a command that root starts over the directory of another user becomes that user', async () => {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(dir, NOBODY, NOBODY);
  const script = `const { becomeUser } = await import(process.argv[1]); becomeUser(process.argv[2]);
    console.log(process.getuid(), process.getgid(), process.getgroups().length);`;
  const file = join(import.meta.dirname, 'become-user.ts');
  const ran = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, file, dir], {
    env: { PATH: '/usr/bin:/bin' },
  });
  const [uid, gid] = isRoot ? [NOBODY, NOBODY] : [process.getuid?.(), process.getgid?.()];
  expect(ran.stdout).toMatch(new RegExp(`^${uid} ${gid} ${isRoot ? 1 : '\\d+'}\n`));
});
