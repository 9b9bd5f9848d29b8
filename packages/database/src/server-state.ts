import { sql } from 'kysely';
import type { Database } from './connect.ts';
import { migrationNames } from './migration-names.ts';

export type DatabaseState = {
  bytes: number;
  /** The connections of all clients of the server. `maxConnections` is the server's limit. */
  connections: number;
  maxConnections: number;
  /** `pending`: migrations that the database lacks. `unknown`: migrations that this release does not know. */
  pending: number;
  unknown: number;
  /** The name of the newest migration that was applied. */
  newest: string;
  /** The release of the server. */
  version: string;
  /** The moment of the last backup; before the first one, the moment when this database was made or restored. */
  lastBackupAtMs: number;
  /** Its size; 0 when nobody noted one. */
  lastBackupBytes: number;
};

export async function readDatabaseState(db: Database): Promise<DatabaseState> {
  const { rows } = await sql<Omit<DatabaseState, 'pending' | 'unknown' | 'newest'> & { applied: string[] }>`
    select pg_database_size(current_database()) as "bytes",
      (select count(*) from pg_stat_activity where backend_type = 'client backend') as "connections",
      current_setting('max_connections')::int as "maxConnections",
      current_setting('server_version') as "version",
      (select array_agg(name::text) from kysely_migration) as "applied",
      (select extract(epoch from coalesce(max(taken_at), (select min(timestamp)::timestamptz from kysely_migration)))
        from backups)::float8 * 1000 as "lastBackupAtMs",
      coalesce((select bytes from backups order by taken_at desc limit 1), 0) as "lastBackupBytes"`.execute(db);
  const { applied, ...state } = rows[0]!;
  return {
    ...state,
    pending: migrationNames.filter((name) => !applied.includes(name)).length,
    unknown: applied.filter((name) => !migrationNames.includes(name)).length,
    newest: applied.toSorted().at(-1) ?? '',
  };
}
