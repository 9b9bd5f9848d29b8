import { writeBackup } from '@flotilla/database/backup/write-backup.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { readDatabaseLogin } from './maintenance-settings.ts';

/** `backup <new directory>` */
export async function backup([target, ...more]: string[], signal: AbortSignal): Promise<number> {
  if (target === undefined || more.length > 0) {
    throw new FlotillaError('bad_request', 'Name the target: npm run backup -- <a directory that does not exist yet>');
  }
  const login = readDatabaseLogin();
  const report = (line: string) => void process.stdout.write(`  ${line}\n`);
  const { keyIds, createdAt } = await writeBackup({ ...login, target, signal, report });
  const keys = keyIds.length === 0 ? '' : ` Its secrets need these keys of ENCRYPTION_KEY: ${keyIds.join(', ')}.`;
  process.stdout.write(`${target} holds the database as it was at ${createdAt}.${keys}\n`);
  return 0;
}
