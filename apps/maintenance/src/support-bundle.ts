import { writeFile } from 'node:fs/promises';
import { arch, platform, release } from 'node:os';
import { readFigures } from '@flotilla/domain/watch/fleet-figures/gather-figures.ts';
import { readReplicas } from '@flotilla/domain/watch/fleet-figures/replicas.ts';
import { readServerState } from '@flotilla/redis/server-state.ts';
import { VERSION } from '@flotilla/runtime/build.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { redactSecrets } from '@flotilla/runtime/logger.ts';
import { sql } from 'kysely';
import type { DiagnosisDeps } from './checks/diagnosis-deps.ts';
import { examine, withInstallation } from './doctor.ts';
import { readDiagnosisConfig } from './maintenance-settings.ts';
import { shownSettings, withoutSettings } from './shown-settings.ts';

const EVENTS_AT_MOST = 200;
const OWNER_ONLY = 0o600;

/** Writes what helps to find a fault, without a secret or a person's text; `-` prints it. */
export async function supportBundle(wanted: string | undefined): Promise<number> {
  const made_at = new Date(systemClock.nowMs()).toISOString();
  const file = wanted ?? `flotilla-support-${made_at.slice(0, 19).replaceAll(':', '')}Z.json`;
  const bundle = { made_at, ...(await gather()) };
  const text = withoutSettings(redactSecrets(JSON.stringify(bundle, null, 1)));
  if (file === '-') process.stdout.write(`${text}\n`);
  else {
    // An existing file would keep its mode.
    await writeFile(file, `${text}\n`, { mode: OWNER_ONLY, flag: 'wx' });
    process.stdout.write(`${file} has the bundle: read it before you send it.\n`);
  }
  return 0;
}

async function gather(): Promise<object> {
  const config = readDiagnosisConfig();
  let inside: object = {};
  const findings = await withInstallation(config, async (deps) => {
    inside = await readInside(deps);
    return examine(deps);
  });
  const versions = { flotilla: VERSION, node: process.version, system: `${platform()} ${release()} ${arch()}` };
  return { versions, settings: shownSettings(), findings, ...inside };
}

async function readInside(deps: DiagnosisDeps): Promise<object> {
  const [postgres, redis, figures, processes, tables, events, audit] = await Promise.all([
    sql<{ version: string }>`select current_setting('server_version') as "version"`.execute(deps.db),
    readServerState(deps.redis, deps.config.redisChecks),
    readFigures(deps),
    readReplicas(deps),
    readTables(deps),
    readEvents(deps),
    readAudit(deps),
  ]);
  return { postgres: postgres.rows[0], redis, figures, processes, tables, events, audit };
}

/** The size of each table, and how many rows Postgres believes that it has. */
async function readTables({ db }: DiagnosisDeps): Promise<object[]> {
  const { rows } = await sql<object>`
    select relname as "table", pg_total_relation_size(oid) as "bytes", greatest(reltuples, 0)::float8 as "rows"
    from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace order by 2 desc`.execute(db);
  return rows;
}

/** Their texts have names of people in them, and stay here. */
function readEvents({ db }: DiagnosisDeps): Promise<object[]> {
  const columns = ['id', 'kind', 'at', 'bot_id', 'program_id'] as const;
  return db.selectFrom('events').select(columns).orderBy('id', 'desc').limit(EVENTS_AT_MOST).execute();
}

function readAudit({ db }: DiagnosisDeps): Promise<object[]> {
  const columns = ['id', 'action', 'date', 'bot_id', 'actor_kind'] as const;
  return db.selectFrom('audit_log').select(columns).orderBy('id', 'desc').limit(EVENTS_AT_MOST).execute();
}
