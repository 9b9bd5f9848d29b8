import { newestBackup } from '@flotilla/database/backup/kept-backups.ts';
import { DEFAULT_JOBS, loadBackup } from '@flotilla/database/backup/load-backup.ts';
import type { DatabaseLogin } from '@flotilla/database/backup/long-client.ts';
import { connectDatabase } from '@flotilla/database/connect.ts';
import { OPERATOR } from '@flotilla/domain/people/audit/actor.ts';
import { recordAction } from '@flotilla/domain/people/audit/record-action.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { placeIn, sourceAt, storeAt } from './backup-place.ts';
import { readDatabaseLogin } from './maintenance-settings.ts';

const USAGE = `Name the backup: npm run restore -- [--jobs <connections>] <the directory or s3://bucket/name of a backup>, or
npm run restore -- --latest <the directory or s3://bucket/prefix that holds the backups>, or
npm run restore -- --list <that directory or s3://bucket/prefix>, which only names the backups`;

type Wanted = { place: string; what: 'this' | 'latest' | 'list'; jobs: number };

/**
 * `restore [--jobs <n>] [--latest] <place>`, into the empty database that DATABASE_URL names, or on with an interrupted one;
 * `restore --list <place>` names the complete backups there.
 */
export async function restore(args: string[], signal: AbortSignal): Promise<number> {
  const { place, what, jobs } = readArguments(args);
  if (what === 'list') return list(place);
  const login = readDatabaseLogin();
  const report = (line: string) => void process.stdout.write(`  ${line}\n`);
  const source = sourceAt(what === 'latest' ? placeIn(place, await newestBackup(storeAt(place))) : place);
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

function readArguments(args: string[]): Wanted {
  const wanted: Wanted = { place: '', what: 'this', jobs: DEFAULT_JOBS };
  for (let left = args; left.length > 0; ) {
    const [name = '', value = ''] = left;
    if (name === '--jobs' && /^[1-9]\d?$/.test(value)) {
      wanted.jobs = Number(value);
      left = left.slice(2);
      continue;
    }
    if (name === '--latest') wanted.what = 'latest';
    else if (name === '--list') wanted.what = 'list';
    else if (name.startsWith('--') || wanted.place !== '') throw new FlotillaError('bad_request', USAGE);
    else wanted.place = name;
    left = left.slice(1);
  }
  if (wanted.place === '') throw new FlotillaError('bad_request', USAGE);
  return wanted;
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
