import { newestBackup } from '@flotilla/database/backup/kept-backups.ts';
import { DEFAULT_JOBS, loadBackup } from '@flotilla/database/backup/load-backup.ts';
import type { DatabaseLogin } from '@flotilla/database/backup/long-client.ts';
import { connectDatabase } from '@flotilla/database/connect.ts';
import { OPERATOR } from '@flotilla/domain/people/audit/actor.ts';
import { recordAction } from '@flotilla/domain/people/audit/record-action.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { placeIn, sourceAt, storeAt } from './backup-place.ts';
import { readDatabaseLogin } from './maintenance-settings.ts';

type Wanted = { latest?: boolean; list?: boolean; jobs?: number };

/**
 * Restores the backup at a place, or the `latest` of those there, into the empty database that DATABASE_URL names, or goes on with an
 * interrupted restore. `list` only names the complete backups there.
 */
export async function restore(
  place: string,
  { latest = false, list: isList = false, jobs = DEFAULT_JOBS }: Wanted,
  signal: AbortSignal,
): Promise<number> {
  if (isList) return list(place);
  const login = readDatabaseLogin();
  const report = (line: string) => void process.stdout.write(`  ${line}\n`);
  const source = sourceAt(latest ? placeIn(place, await newestBackup(storeAt(place))) : place);
  process.stdout.write(`Checking ${source.name}, before the database is touched.\n`);
  const { createdAt, keyIds } = await loadBackup({ ...login, source, signal, report, jobs });
  await record(login, createdAt);
  const keys = keyIds.length === 0 ? '' : ` ENCRYPTION_KEY must list: ${keyIds.join(', ')}.`;
  process.stdout.write(`The database is as it was at ${createdAt}.${keys}\n`);
  process.stdout.write(
    'What starts on it is in quarantine: it polls and sends nothing until you run adopt, after the other installation has ended.\n',
  );
  return 0;
}

async function list(place: string): Promise<number> {
  const complete = (await storeAt(place).list()).filter(({ unfinishedAtMs }) => unfinishedAtMs === null);
  for (const { name } of complete.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    process.stdout.write(`${placeIn(place, name)}\n`);
  }
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
