import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { aptInstall } from './apt-install.ts';
import { serviceError } from './service-error.ts';

export type WantedProgram = {
  /** Any of these names will do. The first folder of the PATH that has one decides. */
  names: string[];
  /** The Debian package that contains it. */
  aptPackage: string;
  /** One line for the person who started us, if it is not found. */
  missing: string;
};

export type FindOptions = {
  path?: string | undefined;
  /** False: a program that is missing is not installed. */
  install?: boolean | undefined;
};

const USUAL_PLACES = ['/usr/local/bin', '/usr/bin', '/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin'];

/**
 * The path of a program. As root on a system with apt-get, a missing program is installed unless `install` is false. Throws
 * FlotillaError with one line that says how to install it.
 */
export async function findProgram(
  { names, aptPackage, missing }: WantedProgram,
  report: (line: string) => void,
  { path = inheritedEnv().PATH ?? '', install = true }: FindOptions = {},
): Promise<string> {
  const found = await firstOf(names, [...path.split(delimiter), ...USUAL_PLACES]);
  if (found) return found;
  const installed = install && (await aptInstall(aptPackage, report)) && (await firstOf(names, USUAL_PLACES));
  if (installed) return installed;
  throw serviceError(missing);
}

async function firstOf(names: string[], folders: string[]): Promise<string | null> {
  for (const folder of new Set(folders)) {
    for (const name of names) {
      const path = join(folder || '/', name);
      const usable = await access(path, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (usable) return path;
    }
  }
  return null;
}
