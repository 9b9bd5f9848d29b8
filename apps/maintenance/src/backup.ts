import { nameOfBackup, removeOldBackups, removeUnfinishedBackups } from '@flotilla/database/backup/kept-backups.ts';
import type { DatabaseLogin } from '@flotilla/database/backup/long-client.ts';
import { recordBackup } from '@flotilla/database/backup/record-backup.ts';
import { writeBackup } from '@flotilla/database/backup/write-backup.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { placeIn, splitPlace, storeAt } from './backup-place.ts';
import { readDatabaseLogin, readKeptBackups } from './maintenance-settings.ts';

/** Makes a backup at a new place, or one `into` a place of backups: it is named by its time, and old ones are removed. */
export async function backup(
  place: string | undefined,
  { into }: { into?: string },
  signal: AbortSignal,
): Promise<number> {
  if ((place === undefined) === (into === undefined)) {
    const sentence = 'Name the target: a new directory or s3://bucket/name, or --into and where the backups are.';
    throw new FlotillaError('bad_request', sentence);
  }
  if (place !== undefined) await write(place, signal);
  else await writeInto(into!, signal);
  return 0;
}

async function writeInto(place: string, signal: AbortSignal): Promise<void> {
  const store = storeAt(place);
  const kept = readKeptBackups();
  const now = () => systemClock.nowMs();
  // Before, because a store that is full of them takes no backup.
  reportRemoved(place, await removeUnfinishedBackups(store, now()).catch(unlessNew));
  await write(placeIn(place, nameOfBackup(now())), signal);
  reportRemoved(place, await removeOldBackups(store, kept, now()));
}

/** A directory that does not exist yet is made for the first backup. */
function unlessNew(error: unknown): string[] {
  if (error instanceof FlotillaError && error.code === 'not_found') return [];
  throw error;
}

async function write(place: string, signal: AbortSignal): Promise<void> {
  const login = readDatabaseLogin();
  const { store, name } = splitPlace(place);
  const target = await store.create(name);
  const report = (line: string) => void process.stdout.write(`  ${line}\n`);
  const { keyIds, createdAt, bytes } = await writeBackup({ ...login, target, signal, report });
  const keys = keyIds.length === 0 ? '' : ` Its secrets need these keys of ENCRYPTION_KEY: ${keyIds.join(', ')}.`;
  process.stdout.write(`${place} holds the database as it was at ${createdAt}.${keys}\n`);
  await record(login, createdAt, bytes);
}

function reportRemoved(place: string, removed: string[]): void {
  if (removed.length > 0) process.stdout.write(`Removed from ${place}: ${removed.join(', ')}.\n`);
}

/** The backup is complete, also if a read-only role or server does not let us note it. */
async function record(login: DatabaseLogin, takenAt: string, bytes: number): Promise<void> {
  try {
    await recordBackup(login, { takenAt, bytes });
  } catch (error) {
    process.stderr.write(`The database could not note this backup, so its metrics do not show it: ${error}\n`);
  }
}
