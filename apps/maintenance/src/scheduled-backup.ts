import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { backup } from './backup.ts';

/** What this command names its backups; it removes nothing with another name. */
const OWN = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/;
const INTERRUPTED = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.\d+\.partial$/;
const DAY_MS = 86_400_000;

/** `scheduled-backup <directory> <number>`: adds a backup named by its time, then removes all of them but the newest `number`. */
export async function scheduledBackup([folder, keep = '', ...more]: string[], signal: AbortSignal): Promise<number> {
  if (folder === undefined || !/^[1-9]\d{0,5}$/.test(keep) || more.length > 0) {
    throw new FlotillaError(
      'bad_request',
      'Name a directory, and how many backups it keeps: scheduled-backup /backups 14',
    );
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const name = new Date().toISOString().replace(/\.\d+/, '').replaceAll(':', '-');
  const exitCode = await backup([join(folder, name)], signal);
  for (const old of await outdated(folder, Number(keep))) {
    await rm(join(folder, old), { recursive: true, force: true });
    process.stdout.write(`Removed ${join(folder, old)}\n`);
  }
  return exitCode;
}

/** Older backups, and what a killed one left a day ago; another one may be at work since. */
async function outdated(folder: string, keep: number): Promise<string[]> {
  const names = await readdir(folder);
  const backups = names.filter((name) => OWN.test(name)).sort();
  const left: string[] = [];
  for (const name of names.filter((one) => INTERRUPTED.test(one))) {
    const { mtimeMs } = await stat(join(folder, name));
    if (mtimeMs < Date.now() - DAY_MS) left.push(name);
  }
  return [...backups.slice(0, -keep), ...left];
}
