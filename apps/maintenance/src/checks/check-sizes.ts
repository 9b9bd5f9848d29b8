import { PARTITIONED_TABLES, readPartitions } from '@flotilla/database/month-partitions.ts';
import { type DatabaseState, readDatabaseState } from '@flotilla/database/server-state.ts';
import type { FleetFigures } from '@flotilla/domain/watch/fleet-figures/fleet-figures.ts';
import { readFigures } from '@flotilla/domain/watch/fleet-figures/gather-figures.ts';
import { readMemory, shareOf } from '@flotilla/redis/memory.ts';
import { findQuarantine } from './check-installation.ts';
import type { DiagnosisDeps } from './diagnosis-deps.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const HOUR_MS = 3_600_000;
const HISTORY_LATE_MS = 300_000;
const GIB = 1024 ** 3;

/** Checks that the months have their tables: this one, and the one that begins soon. */
export async function checkPartitions({ db, clock }: DiagnosisDeps): Promise<Finding[]> {
  const now = new Date(clock.nowMs());
  const findings: Finding[] = [];
  for (const table of PARTITIONED_TABLES) {
    const partitions = await readPartitions(db, table);
    const missing = [0, 1].filter((ahead) => {
      const atS = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 15) / 1000;
      return !partitions.some(({ fromS, untilS }) => fromS !== null && untilS !== null && fromS <= atS && atS < untilS);
    });
    if (missing.length === 0) continue;
    const what = missing.map((ahead) => (ahead === 0 ? 'this month' : 'the next month')).join(' and ');
    const mend = 'npm run migrate makes it; a worker with the role upkeep should have';
    findings.push(fail('partitions', `${table} has none for ${what}`, mend));
  }
  return findings.length > 0 ? findings : [ok('partitions', 'this month and the next one have theirs')];
}

/** Each thing that grows, beside its limit. */
export async function checkSizes(deps: DiagnosisDeps): Promise<Finding[]> {
  const [database, memory, figures, quarantine] = await Promise.all([
    readDatabaseState(deps.db),
    readMemory(deps.redis, deps.config.redisMemoryLimit),
    readFigures(deps),
    findQuarantine(deps),
  ]);
  return [
    checkMemory(shareOf(memory)),
    checkConnections(database),
    ok('database', `${(database.bytes / GIB).toFixed(1)} GiB`),
    checkSchema(database),
    checkBackup(deps, database),
    // In quarantine, no worker counts.
    ...(figures === null && quarantine !== null ? [] : checkFigures(figures, deps.clock.nowMs())),
  ];
}

function checkMemory(share: number): Finding {
  const found = `the fullest Redis is ${(100 * share).toFixed(0)} % full`;
  const mend = 'see what waits (GET /api/bots?sort=pending), or give Redis more memory: docs/operations/limits.md';
  if (share >= 0.8) return fail('redis memory', `${found}: no bot takes updates`, mend);
  return share >= 0.6 ? warn('redis memory', found, mend) : ok('redis memory', found);
}

function checkConnections({ connections, maxConnections }: DatabaseState): Finding {
  const found = `${connections} of ${maxConnections} are in use`;
  if (connections < 0.8 * maxConnections) return ok('postgres connections', found);
  return warn('postgres connections', found, 'raise max_connections: docs/operations/postgres.md');
}

function checkSchema({ pending, unknown, newest }: DatabaseState): Finding {
  if (pending > 0) return fail('schema', `it lacks ${pending} migrations of this release`, 'run: npm run migrate');
  if (unknown > 0)
    return warn('schema', `${unknown} migrations are of a newer release`, 'run this command of that release');
  return ok('schema', `up to ${newest}`);
}

function checkBackup({ clock, backupMaxAgeHours }: DiagnosisDeps, database: DatabaseState): Finding {
  const hours = Math.floor((clock.nowMs() - database.lastBackupAtMs) / HOUR_MS);
  const made = database.lastBackupBytes > 0;
  const found = made ? `the last one is ${hours} h old` : `none was noted in the ${hours} h of this database`;
  if (backupMaxAgeHours === 0 || hours <= backupMaxAgeHours) return ok('backup', found);
  return warn('backup', found, 'see why backups fail, or note them: docs/operations/backup.md');
}

function checkFigures(figures: FleetFigures | null, nowMs: number): Finding[] {
  if (figures === null) {
    return [fail('figures', 'none of the last 90 s', 'see that a worker with the role upkeep runs, and its log')];
  }
  const { history, attention, deadLetters } = figures;
  const lateMs = history.oldestAtMs === null ? 0 : nowMs - history.oldestAtMs;
  const late = `${history.total} entries wait, the oldest for ${Math.round(lateMs / 1000)} s`;
  const wrong = Object.entries(attention).filter(([, count]) => count > 0);
  const listed = wrong.map(([kind, count]) => `${kind} ${count}`).join(', ');
  return [
    lateMs > HISTORY_LATE_MS
      ? warn('history', late, 'docs/operations/runbooks/FlotillaHistoryLag.md')
      : ok('history', late),
    wrong.length > 0
      ? warn('bots', `need attention: ${listed}`, 'GET /api/attention says which and why')
      : ok('bots', 'none needs attention'),
    ok('dead letters', deadLetters === null ? 'not counted' : `${deadLetters} are kept`),
  ];
}
