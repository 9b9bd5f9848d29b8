import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { sha256Hex } from '@flotilla/runtime/digest.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { readSqlState } from '../is-unavailable.ts';
import { PARTITIONED_TABLES } from '../month-partitions.ts';
import { BACKED_UP_TABLES, KNOWN_TABLES } from './backed-up-tables.ts';
import type { BackupTarget } from './backup-folder.ts';
import {
  type BackedUpFile,
  type BackedUpTable,
  type BackupManifest,
  CHECKSUM_FILE,
  MANIFEST_FILE,
  rowsOf,
} from './backup-manifest.ts';
import { hashing } from './hashing.ts';
import { connectLong, type DatabaseLogin } from './long-client.ts';
import {
  type ExpiredMonth,
  readColumns,
  readExpiredMonths,
  readKeyIds,
  readMigrations,
  readSequences,
  readTables,
} from './read-schema.ts';
import { splitRows } from './split-rows.ts';
import { monthsOf, partsOf, readPartitions, stillCounted, type TablePart } from './table-parts.ts';

export type BackupOptions = DatabaseLogin & {
  target: BackupTarget;
  signal: AbortSignal;
  report?: (line: string) => void;
  /** A restore loads several files at once, and one that was interrupted repeats those that it had begun. */
  rowsPerFile?: number;
};

const ROWS_PER_FILE = 1_000_000;
const NO_SUCH_TABLE = '42P01';

type Writing = BackupOptions & { checksums: Map<string, string>; bytes: number };

/**
 * Writes everything in Postgres, as it is at one moment. Memory stays constant, and other processes go on. The backup gets its name
 * only once it is complete. `bytes`: its size.
 */
export async function writeBackup(options: BackupOptions): Promise<BackupManifest & { bytes: number }> {
  const writing: Writing = { ...options, checksums: new Map(), bytes: 0 };
  try {
    const manifest = await writeTables(writing);
    await writeText(writing, MANIFEST_FILE, `${JSON.stringify(manifest, null, 2)}\n`);
    const lines = [...writing.checksums].map(([file, checksum]) => `${checksum}  ${file}\n`);
    await writeText(writing, CHECKSUM_FILE, lines.join(''));
    await options.target.complete();
    return { ...manifest, bytes: writing.bytes };
  } catch (error) {
    await options.target.abandon().catch((left: unknown) => {
      options.report?.(`what was written of it could not be removed: ${left}`);
    });
    throw error;
  }
}

async function writeTables(writing: Writing): Promise<BackupManifest> {
  const client = await connectLong(writing, 'flotilla-backup', writing.signal);
  try {
    refuseEmptyDatabase(await readMigrations(client));
    const expired = await beginSnapshot(client);
    const schema = await readMigrations(client);
    refuseOtherTables(await readTables(client));
    const createdAt = new Date().toISOString();
    const expiredFiles = await writeExpired(client, expired, writing);
    const tables: BackedUpTable[] = [];
    for (const name of BACKED_UP_TABLES) {
      tables.push(await writeTable(client, name, name === 'messages' ? expiredFiles : [], writing));
    }
    const keyIds = await readKeyIds(client);
    const { rows: version } = await client.query<{ server_version: string }>('show server_version');
    // Sequences ignore transactions. Read last, they are at least as high as any id that was copied.
    const sequences = await readSequences(client);
    await client.query('commit');
    return { format: 1, createdAt, postgres: version[0]!.server_version, schema, keyIds, tables, sequences };
  } finally {
    await client.end().catch(() => {});
  }
}

/** Begins a transaction in which retention takes no partition away, and drops none of the expired months that it returns. */
async function beginSnapshot(client: pg.Client): Promise<ExpiredMonth[]> {
  await client.query('begin transaction isolation level repeatable read read only');
  for (const name of PARTITIONED_TABLES) await client.query(`lock table ${name} in access share mode`);
  // The first statement that reads takes the snapshot.
  const expired = await readExpiredMonths(client);
  try {
    // The one that is copied first is locked last, so that its savepoint ends no lock of the others.
    for (const { name } of expired.toReversed()) {
      await client.query(`savepoint ${pg.escapeIdentifier(name)}`);
      await client.query(`lock table ${pg.escapeIdentifier(name)} in access share mode`);
    }
    return expired;
  } catch (error) {
    if (readSqlState(error) !== NO_SUCH_TABLE) throw error;
    // It was dropped since the snapshot.
    await client.query('rollback');
    return beginSnapshot(client);
  }
}

/** Writes expired months before everything else and lets go of each, because retention waits for them. */
async function writeExpired(client: pg.Client, expired: ExpiredMonth[], writing: Writing): Promise<BackedUpFile[]> {
  const columns = await readColumns(client, 'messages');
  const files: BackedUpFile[] = [];
  for (const month of expired) {
    files.push(...(await writePart(client, stillCounted(month), columns, writing)));
    await client.query(`rollback to savepoint ${pg.escapeIdentifier(month.name)}`);
  }
  return files;
}

async function writeTable(
  client: pg.Client,
  name: string,
  expired: BackedUpFile[],
  writing: Writing,
): Promise<BackedUpTable> {
  const columns = await readColumns(client, name);
  const partitions = await readPartitions(client, name);
  const months = monthsOf(partitions);
  const files = [...expired];
  for (const part of partsOf(name, partitions)) files.push(...(await writePart(client, part, columns, writing)));
  const table: BackedUpTable = { name, columns, ...(months === null ? {} : { months }), files };
  writing.report?.(`${name}: ${rowsOf(table)} rows`);
  return table;
}

async function writePart(
  client: pg.Client,
  { name, rows }: TablePart,
  columns: string[],
  writing: Writing,
): Promise<BackedUpFile[]> {
  const copied = client.query(copyTo(`copy (select ${columns.join(', ')} from ${rows}) to stdout`));
  const files: BackedUpFile[] = [];
  for await (const { content, count } of splitRows(copied, writing.rowsPerFile ?? ROWS_PER_FILE)) {
    const file = `${name}${files.length === 0 ? '' : `.${files.length + 1}`}.copy.gz`;
    await writeFile(writing, file, content);
    files.push({ file, rows: count() });
  }
  return files;
}

async function writeFile(writing: Writing, file: string, content: AsyncIterable<Buffer>): Promise<void> {
  const { target, checksums, signal } = writing;
  const hash = hashing();
  // The fastest level, so that a backup costs the machine little. Operators may compress it further.
  await pipeline(content, createGzip({ level: 1 }), hash.stream, target.open(file), { signal });
  checksums.set(file, hash.digest());
  writing.bytes += hash.bytes();
}

async function writeText(writing: Writing, file: string, text: string): Promise<void> {
  const { target, checksums, signal } = writing;
  const content = Buffer.from(text);
  await pipeline(Readable.from([content]), target.open(file), { signal });
  writing.bytes += content.length;
  checksums.set(file, sha256Hex(text));
}

function refuseEmptyDatabase(schema: string[]): void {
  if (schema.length > 0) return;
  throw new FlotillaError('conflict', 'The database has no tables of Flotilla: there is nothing to back up');
}

function refuseOtherTables(found: string[]): void {
  const unknown = found.filter((table) => !KNOWN_TABLES.includes(table));
  const missing = KNOWN_TABLES.filter((table) => !found.includes(table));
  if (unknown.length + missing.length === 0) return;
  const parts = [
    ...(unknown.length > 0 ? [`it has ${unknown.join(', ')}, which this release does not know`] : []),
    ...(missing.length > 0 ? [`it lacks ${missing.join(', ')}`] : []),
  ];
  throw new FlotillaError(
    'conflict',
    `The database is not of this release (${parts.join('; ')}): make the backup with the release of the database`,
  );
}
