import { clockAheadMs } from '@flotilla/database/clock-of-server.ts';
import { connectDatabase, type Database } from '@flotilla/database/connect.ts';
import { pendingMigrations } from '@flotilla/database/pending-migrations.ts';
import type { ProcessConfig } from '@flotilla/domain/startup/open-process.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { sql } from 'kysely';
import { checkClock } from './check-clock.ts';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';

export type DatabaseFindings = {
  findings: Finding[];
  /** Bots to which the platform pushes; null: not known. */
  webhookBots: number | null;
};

const OLDEST_VERSION = 160_000;

/** Tries Postgres as every process will, and whether its role may make the tables. */
export async function checkPostgres({ database }: Pick<ProcessConfig, 'database'>): Promise<DatabaseFindings> {
  const db = connectDatabase({ ...database, role: 'check-config', maxConnections: 1 });
  try {
    const server = await readServer(db);
    const pending = await pendingMigrations(db);
    const findings = [
      checkVersion(server),
      checkEncoding(server),
      checkRights(server),
      checkConnections(server),
      checkSchema(pending),
      checkClock('Postgres', await clockAheadMs(db, systemClock)),
    ];
    return { findings, webhookBots: pending.length === 0 ? await countWebhookBots(db) : null };
  } catch (error) {
    return { findings: [fail('postgres', reasonOf(error), mendOf(error))], webhookBots: null };
  } finally {
    await db.destroy();
  }
}

type Server = {
  number: number;
  version: string;
  encoding: string;
  mayCreate: boolean | null;
  foreignTables: number;
  connections: number;
  maxConnections: number;
  readOnly: boolean;
};

async function readServer(db: Database): Promise<Server> {
  const { rows } = await sql<Server>`
    select current_setting('server_version_num')::int as "number", current_setting('server_version') as "version",
      current_setting('server_encoding') as "encoding",
      has_schema_privilege(current_schema(), 'create') as "mayCreate",
      (select count(*) from pg_tables where schemaname = current_schema()
        and not pg_has_role(tableowner, 'usage')) as "foreignTables",
      (select count(*) from pg_stat_activity where backend_type = 'client backend') as "connections",
      current_setting('max_connections')::int as "maxConnections",
      current_setting('transaction_read_only')::bool as "readOnly"`.execute(db);
  return rows[0]!;
}

async function countWebhookBots(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as "count" from bots where webhook_mode and not disabled`.execute(db);
  return rows[0]!.count;
}

function checkVersion({ number, version }: Server): Finding {
  if (number >= OLDEST_VERSION) return ok('postgres version', version);
  return fail('postgres version', version, 'upgrade to Postgres 16 or later');
}

function checkEncoding({ encoding }: Server): Finding {
  if (encoding === 'UTF8') return ok('postgres encoding', encoding);
  return fail('postgres encoding', encoding, 'create the database as docs/operations/postgres.md shows');
}

function checkRights({ mayCreate, foreignTables, readOnly }: Server): Finding {
  if (readOnly) {
    return fail(
      'postgres rights',
      'it accepts no writes',
      'name the primary in DATABASE_URL, not a copy that is read only',
    );
  }
  const mend = 'let the role of DATABASE_URL own the database: alter database … owner to …';
  if (mayCreate !== true)
    return fail('postgres rights', 'its role may make no tables, so no release can migrate', mend);
  if (foreignTables === 0) return ok('postgres rights', 'its role may make tables and owns those that are there');
  return fail('postgres rights', `its role does not own ${foreignTables} tables, so no release can change them`, mend);
}

function checkConnections({ connections, maxConnections }: Server): Finding {
  const found = `${connections} of ${maxConnections} are in use`;
  if (connections < 0.8 * maxConnections) return ok('postgres connections', found);
  return warn(
    'postgres connections',
    found,
    'raise max_connections: docs/operations/postgres.md counts what is needed',
  );
}

function checkSchema(pending: string[]): Finding {
  if (pending.length === 0) return ok('postgres schema', 'it has all migrations of this release');
  return fail('postgres schema', `it lacks ${pending.length} migrations of this release`, 'run: npm run migrate');
}

const MENDS: Record<string, string> = {
  '28P01': 'write the password of its role into DATABASE_URL, or mend DATABASE_PASSWORD_COMMAND',
  '28000': 'let pg_hba.conf admit this role from this address, and correct the user of DATABASE_URL',
  '3D000': 'create the database as docs/operations/postgres.md shows',
  '42501': 'let the role of DATABASE_URL own the database and its tables',
  '53300': 'raise max_connections: docs/operations/postgres.md counts what is needed',
};

function mendOf(error: unknown): string {
  const code = String((error as { code?: unknown }).code ?? '');
  const known = MENDS[code];
  if (known !== undefined) return known;
  if (/CERT|SIGNED|TLS|SSL/.test(code) || /SSL|certificate/i.test(reasonOf(error))) {
    return 'give Postgres a certificate for the host of DATABASE_URL, or name its authority in NODE_EXTRA_CA_CERTS';
  }
  return 'start Postgres, or correct host and port of DATABASE_URL; is the way there open?';
}
