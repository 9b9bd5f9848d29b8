import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { throwAwayDir } from '../throw-away-dir.ts';
import type { ProcessCode } from './fleet-process.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const WORKSPACES = ['apps', 'packages'];

const run = promisify(execFile);

/** The tag of the newest release before this commit; null if there is none, or in a shallow clone (`git fetch --unshallow --tags`). */
export async function releaseBefore(): Promise<string | null> {
  return run('git', ['-C', ROOT, 'describe', '--tags', '--abbrev=0', '--match', 'v*', 'HEAD~1']).then(
    ({ stdout }) => stdout.trim(),
    () => null,
  );
}

/** The api and the worker of an earlier release, with the packages that are installed for this one. */
export async function earlierRelease(tag: string): Promise<ProcessCode> {
  const root = await throwAwayDir();
  const archive = join(root, 'release.tar');
  await run('git', ['-C', ROOT, 'archive', `--output=${archive}`, tag, 'package.json', ...WORKSPACES]);
  await run('tar', ['-xf', archive, '-C', root]);
  await linkPackages(root);
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  return (role) => ({ cwd: root, ...startOf(scripts[`start:${role}`]) });
}

/** Its own packages are its own code; all others are those of this checkout. */
async function linkPackages(root: string): Promise<void> {
  const target = join(root, 'node_modules');
  await mkdir(join(target, '@flotilla'), { recursive: true });
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    if (name !== '@flotilla') await symlink(join(ROOT, 'node_modules', name), join(target, name));
  }
  for (const folder of WORKSPACES) {
    for (const name of await readdir(join(root, folder))) {
      if (existsSync(join(root, folder, name, 'package.json')))
        await symlink(join(root, folder, name), join(target, '@flotilla', name));
    }
  }
}

/** The environment and the arguments of Node in the command that an operator starts, `NAME=value … exec node …`. */
function startOf(command: string): Pick<ReturnType<ProcessCode>, 'args' | 'env'> {
  const [, settings, args] = /^((?:\w+=\S+ )*)exec node (.+)$/.exec(command) ?? [];
  if (settings === undefined || args === undefined) throw new Error(`Unknown form of a start command: ${command}`);
  const env = settings
    .split(' ')
    .flatMap((setting) => (setting === '' ? [] : [setting.split('=') as [string, string]]));
  return { env: Object.fromEntries(env), args: args.split(' ') };
}
