import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { connectDatabase, type Database } from '../connect.ts';
import { applySteps, migrateTo } from '../migrate.ts';
import { migrations } from '../migrations.ts';
import { makeMonths, type PartitionedTable } from '../month-partitions.ts';
import type { BackupSource } from './backup-folder.ts';
import { type BackupManifest, rowsOf } from './backup-manifest.ts';
import { checkBackup } from './check-backup.ts';
import { connectLong, type DatabaseLogin } from './long-client.ts';
import { readReferences } from './read-schema.ts';
import {
  beginProgress,
  endProgress,
  markDone,
  missingIndexes,
  readProgress,
  refuseOtherBackup,
  refuseUsedDatabase,
  takeRestoreTurn,
} from './restore-progress.ts';
import { type Item, runSideBySide } from './run-side-by-side.ts';

export type RestoreOptions = DatabaseLogin & {
  source: BackupSource;
  signal: AbortSignal;
  report?: (line: string) => void;
  /** Files are loaded, and indexes built, over so many connections. */
  jobs?: number;
};

export const DEFAULT_JOBS = 4;
/** Ids may have been given out after the backup, and they must not be used again. */
const SKIPPED_IDS = 10_000;
const INDEX_MEMORY = '256MB';

type File = Item & { table: string; columns: string[]; rows: number };

/**
 * Loads a backup into an empty database, and brings it to this release's schema. If it is interrupted, no process starts on the
 * database, and the next call goes on. Throws FlotillaError: 'bad_request' for a backup that is damaged or of a newer release,
 * 'conflict' for a database in use.
 */
export async function loadBackup(options: RestoreOptions): Promise<BackupManifest> {
  const manifest = await checkBackup(options.source, options.signal);
  refuseNewerSchema(manifest);
  const clients = await connectAll(options);
  const [client] = clients as [pg.Client];
  try {
    await takeRestoreTurn(client);
    const done = await begin(client, manifest, options);
    await loadFiles(clients, manifest, done, options);
    await buildIndexes(clients, options);
    await finish(client, manifest, options);
    return manifest;
  } finally {
    await endAll(clients);
  }
}

async function connectAll(options: RestoreOptions): Promise<pg.Client[]> {
  const connecting = Array.from({ length: options.jobs ?? DEFAULT_JOBS }, () =>
    connectLong(options, 'flotilla-restore', options.signal),
  );
  try {
    return await Promise.all(connecting);
  } catch (error) {
    const settled = await Promise.allSettled(connecting);
    await endAll(settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
    throw error;
  }
}

async function endAll(clients: pg.Client[]): Promise<void> {
  await Promise.all(clients.map((client) => client.end().catch(() => {})));
}

function refuseNewerSchema({ schema }: BackupManifest): void {
  const unknown = schema.filter((name) => !Object.hasOwn(migrations, name));
  if (unknown.length === 0) return;
  throw new FlotillaError(
    'bad_request',
    `The backup is of a newer release (this one does not know ${unknown.join(', ')}): restore it with that one`,
  );
}

/** The items that are done already. */
async function begin(
  client: pg.Client,
  manifest: BackupManifest,
  { url, readPassword, report }: RestoreOptions,
): Promise<Set<string>> {
  const progress = await readProgress(client);
  if (progress !== null) {
    refuseOtherBackup(progress, manifest);
    report?.(`going on after ${progress.done.size} steps of a restore that was interrupted`);
    return progress.done;
  }
  await refuseUsedDatabase(client, manifest);
  await withDatabase({ url, readPassword }, async (db) => {
    await migrateTo(db, manifest.schema.at(-1)!);
    for (const { name, months } of manifest.tables) {
      if (months === undefined || months.fromS === months.untilS) continue;
      await makeMonths(db, name as PartitionedTable, months.fromS, months.untilS - 1);
    }
  });
  await beginProgress(client, manifest);
  return new Set();
}

async function loadFiles(
  clients: pg.Client[],
  { tables }: BackupManifest,
  done: Set<string>,
  options: RestoreOptions,
): Promise<void> {
  const references = await readReferences(clients[0]!);
  const filesOf = new Map(tables.map(({ name, files }) => [name, files.map(({ file }) => file)]));
  const files: File[] = tables.flatMap(({ name, columns, files }) => {
    const after = (references.get(name) ?? []).flatMap((table) => filesOf.get(table) ?? []);
    return files.map(({ file, rows }) => ({ name: file, after, table: name, columns, rows }));
  });
  const left = files.filter(({ name }) => !done.has(name));
  await runSideBySide(
    left,
    clients.map((client) => (file) => loadFile(client, file, options)),
  );
  for (const table of tables) options.report?.(`${table.name}: ${rowsOf(table)} rows`);
}

async function loadFile(
  client: pg.Client,
  { name, table, columns, rows }: File,
  { source, signal }: RestoreOptions,
): Promise<void> {
  await client.query('begin');
  const loading = client.query(copyFrom(`copy ${table} (${columns.join(', ')}) from stdin`));
  await pipeline(source.read(name), createGunzip(), loading, { signal });
  if (loading.rowCount !== rows) {
    throw new FlotillaError('bad_request', `${name} has ${loading.rowCount} rows where the backup says ${rows}`);
  }
  await markDone(client, name);
  await client.query('commit');
}

/** Those of partitions first, side by side; their tables' then take them over. */
async function buildIndexes(clients: pg.Client[], { signal, report }: RestoreOptions): Promise<void> {
  const missing = await missingIndexes(clients[0]!);
  const build = (client: pg.Client) => async (index: { name: string; definition: string }) => {
    signal.throwIfAborted();
    await client.query('begin');
    await client.query(`set local maintenance_work_mem = '${INDEX_MEMORY}'`);
    await client.query(index.definition);
    await markDone(client, `index ${index.name}`);
    await client.query('commit');
  };
  const items = missing.map((index) => ({ ...index, after: [] }));
  await runSideBySide(
    items.filter(({ on }) => on !== 'partitioned'),
    clients.map(build),
  );
  await runSideBySide(
    items.filter(({ on }) => on === 'partitioned'),
    [build(clients[0]!)],
  );
  report?.(`${missing.length} indexes`);
}

/** May be repeated: only its last statement makes the database one that processes start on. */
async function finish(client: pg.Client, manifest: BackupManifest, login: DatabaseLogin): Promise<void> {
  await client.query('begin');
  for (const { name } of manifest.tables) await client.query(`alter table ${name} enable trigger user`);
  await setSequences(client, manifest);
  await client.query('commit');
  await withDatabase(login, (db) => applySteps(db, migrations, Object.keys(migrations).at(-1)!));
  await holdSends(client);
  await markRestored(client, manifest);
  await client.query('analyze');
  await endProgress(client);
}

/**
 * Entries that waited when the backup was made may have been sent since: people decide if they are sent again. Entries of broadcasts that
 * were not released wait for those who resume these.
 */
async function holdSends(client: pg.Client): Promise<void> {
  await client.query(`
    update outbox set state = 'in_doubt', settled_at = now(), error = 'It waited when the backup was made, so it may have been sent since'
    where state in ('queued', 'held', 'sending') or (state = 'scheduled' and send_at <= now())`);
  await client.query(`
    update broadcasts set state = 'paused'
    where state = 'running' or (state = 'scheduled' and send_at <= now())`);
}

/** Processes then start in quarantine, because the installation that was backed up may still run. */
async function markRestored(client: pg.Client, { createdAt }: BackupManifest): Promise<void> {
  await client.query(
    `insert into installation (restored_from) values ($1)
    on conflict (single) do update set restored_from = excluded.restored_from`,
    [createdAt],
  );
}

async function withDatabase(
  { url, readPassword }: DatabaseLogin,
  work: (db: Database) => Promise<unknown>,
): Promise<void> {
  const db = connectDatabase({ url, readPassword, role: 'restore', maxConnections: 2, queryTimeoutMs: null });
  try {
    await work(db);
  } finally {
    await db.destroy();
  }
}

async function setSequences(client: pg.Client, { sequences }: BackupManifest): Promise<void> {
  for (const { name, last } of sequences) {
    await client.query('select setval($1::regclass, $2)', [name, last + SKIPPED_IDS]);
  }
  // Above every revision that a surviving Redis has seen. Otherwise Redis would take its older configuration for newer.
  await client.query(`select setval('bot_revisions', greatest(nextval('bot_revisions'), $1))`, [Date.now()]);
  await client.query(`update bots set revision = nextval('bot_revisions')`);
}
