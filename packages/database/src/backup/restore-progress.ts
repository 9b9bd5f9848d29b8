import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import pg from 'pg';
import type { BackupManifest } from './backup-manifest.ts';
import { type PlainIndex, readMigrations, readPlainIndexes, readTables } from './read-schema.ts';

/** Two restores at once would load rows twice. Any number would do, but every release must use the same. */
const TURN = 6_120_387_255;

/**
 * The steps of an unfinished restore, in the database itself: its table `restore_progress` is there until the restore
 * is finished, and no process starts on such a database (pending-migrations.ts).
 */
export async function readProgress(client: pg.Client): Promise<{ createdAt: string; done: Set<string> } | null> {
  const { rows: found } = await client.query(`select to_regclass('restore_progress') as name`);
  if (found[0]?.name === null) return null;
  const { rows } = await client.query<{ item: string; definition: string | null; is_done: boolean }>(
    'select item, definition, is_done from restore_progress',
  );
  const done = new Set(rows.filter((row) => row.is_done).map(({ item }) => item));
  return { createdAt: rows.find(({ item }) => item === 'backup')?.definition ?? '', done };
}

/** Throws FlotillaError('conflict') while another restore into this database runs. The turn ends with the connection. */
export async function takeRestoreTurn(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ mine: boolean }>('select pg_try_advisory_lock($1) as mine', [TURN]);
  if (rows[0]?.mine === true) return;
  throw new FlotillaError(
    'conflict',
    'Another restore into this database is running, or was killed within the last seconds',
  );
}

/**
 * Prepares empty tables for loading: without triggers, since the backup has what they would make, and without indexes, since
 * building one over all rows takes a fraction of the time of adding the rows one by one.
 */
export async function beginProgress(client: pg.Client, { createdAt, tables }: BackupManifest): Promise<void> {
  await client.query('begin');
  await client.query(`
    create table restore_progress (
      item text primary key, definition text, kind text, is_done boolean not null default false)`);
  await client.query(`insert into restore_progress (item, definition) values ('backup', $1)`, [createdAt]);
  const indexes = await readPlainIndexes(client);
  for (const { name, definition, on } of indexes) {
    const values = [`index ${name}`, definition, on];
    await client.query('insert into restore_progress (item, definition, kind) values ($1, $2, $3)', values);
  }
  for (const { name, on } of indexes) {
    if (on !== 'partition') await client.query(`drop index ${pg.escapeIdentifier(name)}`);
  }
  for (const { name } of tables) await client.query(`alter table ${name} disable trigger user`);
  await client.query('commit');
}

/** The indexes that were dropped and are not built yet. */
export async function missingIndexes(client: pg.Client): Promise<PlainIndex[]> {
  const { rows } = await client.query<PlainIndex>(`
    select substring(item from 7) as name, definition, kind as on from restore_progress
    where kind is not null and not is_done order by item`);
  return rows;
}

/** In the transaction of the item itself. */
export async function markDone(client: pg.Client, item: string): Promise<void> {
  await client.query(
    'insert into restore_progress (item, is_done) values ($1, true) on conflict (item) do update set is_done = true',
    [item],
  );
}

/** From here on the database is one like any other. */
export async function endProgress(client: pg.Client): Promise<void> {
  await client.query('drop table restore_progress');
}

/** Throws FlotillaError('conflict') unless the database is empty, or is where this backup was being restored to. */
export async function refuseUsedDatabase(client: pg.Client, { schema }: BackupManifest): Promise<void> {
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

/** Throws FlotillaError('conflict') if another backup was being restored. */
export function refuseOtherBackup(progress: { createdAt: string }, { createdAt }: BackupManifest): void {
  if (progress.createdAt === createdAt) return;
  throw new FlotillaError(
    'conflict',
    `The backup of ${progress.createdAt} was being restored into this database: go on with that one, or use a new, empty database`,
  );
}
