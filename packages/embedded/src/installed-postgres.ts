import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import type { SystemUser } from './unprivileged-user.ts';

const run = promisify(execFile);

export type PostgresBinaries = {
  postgres: string;
  initdb: string;
  major: number;
  /** Where they are from, for a message. */
  origin: string;
};

/** A program from the PATH gets none of our secrets. */
const NO_SETTINGS = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };
/** The oldest that the service works with. */
const OLDEST = 16;
/** Where distributions and Homebrew put the servers of each major version, and below it their programs. */
const PARENTS: [folder: string, name: RegExp, bin: string][] = [
  ['/usr/lib/postgresql', /^\d+$/, 'bin'],
  ['/usr', /^pgsql-\d+$/, 'bin'],
  ['/opt/homebrew/opt', /^postgresql(@\d+)?$/, 'bin'],
  ['/usr/local/opt', /^postgresql(@\d+)?$/, 'bin'],
];

/** The Postgres servers of this machine that the user can run, the newest first. */
export async function installedPostgres(
  user: SystemUser | null,
  path: string = inheritedEnv().PATH ?? '',
): Promise<PostgresBinaries[]> {
  const versioned = await Promise.all(PARENTS.map(programsBelow));
  const folders = new Set([...versioned.flat(), ...path.split(delimiter).filter((folder) => folder !== '')]);
  const found = await Promise.all([...folders].map((folder) => serverIn(folder, user)));
  return found.filter((one) => one !== null).sort((one, other) => other.major - one.major);
}

async function programsBelow([folder, name, bin]: (typeof PARENTS)[number]): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((one) => name.test(one)).map((one) => join(folder, one, bin));
}

async function serverIn(folder: string, user: SystemUser | null): Promise<PostgresBinaries | null> {
  const [postgres, initdb] = [join(folder, 'postgres'), join(folder, 'initdb')];
  const major = await majorOf(postgres, user);
  const hasBoth = major !== null && (await majorOf(initdb, user)) === major;
  return hasBoth && major >= OLDEST ? { postgres, initdb, major, origin: dirname(postgres) } : null;
}

/** null if the user cannot run it. */
export async function majorOf(program: string, user: SystemUser | null): Promise<number | null> {
  const said = await run(program, ['--version'], { cwd: '/', env: NO_SETTINGS, ...user }).catch(() => null);
  const version = said === null ? undefined : /\(PostgreSQL\) (\d+)/.exec(said.stdout)?.[1];
  return version === undefined ? null : Number(version);
}
