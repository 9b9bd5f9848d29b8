import { loadBackup } from '@flotilla/database/backup/load-backup.ts';
import type { DatabaseLogin } from '@flotilla/database/backup/long-client.ts';
import { connectDatabase } from '@flotilla/database/connect.ts';
import { OPERATOR } from '@flotilla/domain/people/audit/actor.ts';
import { recordAction } from '@flotilla/domain/people/audit/record-action.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { readDatabaseLogin } from './maintenance-settings.ts';

/** `restore <directory>`, into the empty database that DATABASE_URL names. */
export async function restore([source, ...more]: string[], signal: AbortSignal): Promise<number> {
  if (source === undefined || more.length > 0) {
    throw new FlotillaError('bad_request', 'Name the backup: npm run restore -- <the directory of a backup>');
  }
  const login = readDatabaseLogin();
  const report = (line: string) => void process.stdout.write(`  ${line}\n`);
  const { createdAt, keyIds } = await loadBackup({ ...login, source, signal, report });
  await record(login, createdAt);
  const keys = keyIds.length === 0 ? '' : ` ENCRYPTION_KEY must list: ${keyIds.join(', ')}.`;
  process.stdout.write(`The database is as it was at ${createdAt}.${keys}\n`);
  return 0;
}

/** The audit log then explains why entries since the backup are missing. */
async function record(login: DatabaseLogin, createdAt: string): Promise<void> {
  const db = connectDatabase({ ...login, role: 'restore', maxConnections: 1 });
  try {
    const done = { action: 'restore', details: `the backup of ${createdAt}` } as const;
    await recordAction({ db, clock: systemClock }, OPERATOR, done);
  } finally {
    await db.destroy();
  }
}
