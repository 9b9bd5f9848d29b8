import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { recordBackup } from '@flotilla/database/backup/record-backup.ts';
import { writeBackup } from '@flotilla/database/backup/write-backup.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { readDatabaseSettings } from './maintenance-settings.ts';

/** `backup <new directory>` */
export async function backup([target, ...more]: string[], signal: AbortSignal): Promise<number> {
  if (target === undefined || more.length > 0) {
    throw new FlotillaError('bad_request', 'Name the target: npm run backup -- <a directory that does not exist yet>');
  }
  const { DATABASE_URL: url } = readDatabaseSettings();
  const report = (line: string) => void process.stdout.write(`  ${line}\n`);
  const { keyIds, createdAt } = await writeBackup({ url, target, signal, report });
  const keys = keyIds.length === 0 ? '' : ` Its secrets need these keys of ENCRYPTION_KEY: ${keyIds.join(', ')}.`;
  process.stdout.write(`${target} holds the database as it was at ${createdAt}.${keys}\n`);
  await record(url, createdAt, target);
  return 0;
}

/** The backup is complete, also if a read-only role or server does not let us note it. */
async function record(url: string, takenAt: string, folder: string): Promise<void> {
  try {
    await recordBackup(url, { takenAt, bytes: await sizeOf(folder) });
  } catch (error) {
    process.stderr.write(`The database could not note this backup, so its metrics do not show it: ${error}\n`);
  }
}

async function sizeOf(folder: string): Promise<number> {
  const files = await readdir(folder);
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(folder, file))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
