import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { connectDatabase } from '../connect.ts';
import { migrateTo, migrateToLatest } from '../migrate.ts';
import { migrations } from '../migrations.ts';
import type { BackupManifest } from './backup-manifest.ts';
import { checkBackup } from './check-backup.ts';
import { type DatabaseLogin, longClient } from './long-client.ts';
import { readMigrations, readPlainIndexes, readTables } from './read-schema.ts';

export type RestoreOptions = DatabaseLogin & {
  /** The directory that a backup was written to. */
  source: string;
  signal: AbortSignal;
  report?: (line: string) => void;
};

/** Ids may have been given out after the backup, and they must not be used again. */
const SKIPPED_IDS = 10_000;
const INDEX_MEMORY = '256MB';

/**
 * Loads a backup into an empty database, all of it or nothing, and brings it to this release's schema. Throws
 * FlotillaError: 'bad_request' for a backup that is damaged or of a newer release, 'conflict' for a database in use.
 */
export async function loadBackup(options: RestoreOptions): Promise<BackupManifest> {
  const manifest = await checkBackup(options.source, options.signal);
  refuseNewerSchema(manifest);
  const client = longClient(options, 'flotilla-restore');
  try {
    await client.connect();
    await refuseUsedDatabase(client, manifest);
    await migrate(options, manifest.schema.at(-1)!);
    await loadTables(client, manifest, options);
    await migrate(options, null);
    await client.query('analyze');
    return manifest;
  } finally {
    await client.end().catch(() => {});
  }
}

function refuseNewerSchema({ schema }: BackupManifest): void {
  const unknown = schema.filter((name) => !Object.hasOwn(migrations, name));
  if (unknown.length === 0) return;
  throw new FlotillaError(
    'bad_request',
    `The backup is of a newer release (this one does not know ${unknown.join(', ')}): restore it with that one`,
  );
}

async function refuseUsedDatabase(client: pg.Client, { schema }: BackupManifest): Promise<void> {
  const tables = await readTables(client);
  for (const table of tables) {
    const { rowCount } = await client.query(`select from ${pg.escapeIdentifier(table)} limit 1`);
    if (rowCount === 0) continue;
    throw new FlotillaError('conflict', `The database is in use (${table} has rows): restore into a new, empty one`);
  }
  const migrated = await readMigrations(client);
  if (tables.length === 0 || (migrated.length > 0 && migrated.every((name) => schema.includes(name)))) return;
  throw new FlotillaError(
    'conflict',
    `The database has tables of another schema than the backup (${tables.join(', ')}): restore into a new, empty one`,
  );
}

async function migrate({ url, readPassword }: DatabaseLogin, to: string | null): Promise<void> {
  const db = connectDatabase({ url, readPassword, role: 'restore', maxConnections: 2, queryTimeoutMs: null });
  try {
    await (to === null ? migrateToLatest(db) : migrateTo(db, to));
  } finally {
    await db.destroy();
  }
}

async function loadTables(client: pg.Client, manifest: BackupManifest, options: RestoreOptions): Promise<void> {
  await client.query('begin');
  // Building an index over all rows at once takes a fraction of the time of adding the rows one by one.
  const indexes = await readPlainIndexes(client);
  for (const { name } of indexes) await client.query(`drop index ${pg.escapeIdentifier(name)}`);
  for (const { name, file, columns, rows } of manifest.tables) {
    // The backup already contains what triggers would make of these rows.
    await client.query(`alter table ${name} disable trigger user`);
    const loading = client.query(copyFrom(`copy ${name} (${columns.join(', ')}) from stdin`));
    const reading = createReadStream(join(options.source, file));
    await pipeline(reading, createGunzip(), loading, { signal: options.signal });
    if (loading.rowCount !== rows) {
      throw new FlotillaError('bad_request', `${name} has ${loading.rowCount} rows where the backup says ${rows}`);
    }
    await client.query(`alter table ${name} enable trigger user`);
    options.report?.(`${name}: ${rows} rows`);
  }
  await client.query(`set local maintenance_work_mem = '${INDEX_MEMORY}'`);
  for (const { definition } of indexes) {
    options.signal.throwIfAborted();
    await client.query(definition);
  }
  await setSequences(client, manifest);
  await client.query('commit');
}

async function setSequences(client: pg.Client, { sequences }: BackupManifest): Promise<void> {
  for (const { name, last } of sequences) {
    await client.query('select setval($1::regclass, $2)', [name, last + SKIPPED_IDS]);
  }
  // Above every revision that a surviving Redis has seen. Otherwise Redis would take its older configuration for newer.
  await client.query(`select setval('bot_revisions', greatest(nextval('bot_revisions'), $1))`, [Date.now()]);
  await client.query(`update bots set revision = nextval('bot_revisions')`);
}
