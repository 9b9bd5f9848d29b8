import { FlotillaError } from '@flotilla/contract/flotilla-error.ts';
import { loadBackup } from '@flotilla/database/backup/load-backup.ts';
import { readDatabaseSettings } from './maintenance-settings.ts';

/** `restore <directory>`, into the empty database that DATABASE_URL names. */
export async function restore([source, ...more]: string[], signal: AbortSignal): Promise<number> {
  if (source === undefined || more.length > 0) {
    throw new FlotillaError('bad_request', 'Say what: npm run restore -- <the directory of a backup>');
  }
  const { DATABASE_URL: url } = readDatabaseSettings();
  const report = (line: string) => void process.stdout.write(`  ${line}\n`);
  const { createdAt, keyIds } = await loadBackup({ url, source, signal, report });
  const keys = keyIds.length === 0 ? '' : ` ENCRYPTION_KEY must list: ${keyIds.join(', ')}.`;
  process.stdout.write(`The database is as it was at ${createdAt}.${keys}\n`);
  return 0;
}
