import { createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { sha256Hex } from '@flotilla/runtime/digest.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { BACKED_UP_TABLES } from './backed-up-tables.ts';
import { type BackupManifest, CHECKSUM_FILE, MANIFEST_FILE } from './backup-manifest.ts';
import { hashing } from './hashing.ts';
import { type DatabaseLogin, longClient } from './long-client.ts';
import { readColumns, readKeyIds, readMigrations, readSequences, readTables } from './read-schema.ts';

export type BackupOptions = DatabaseLogin & {
  /** A directory that does not exist yet. */
  target: string;
  signal: AbortSignal;
  report?: (line: string) => void;
};

type Checksums = Map<string, string>;

/**
 * Writes everything in Postgres, as it is at one moment, into a new directory. Memory stays constant, and other
 * processes go on. The directory gets its name only once it is complete. Throws FlotillaError('conflict') if it exists.
 */
export async function writeBackup(options: BackupOptions): Promise<BackupManifest> {
  const target = resolve(options.target);
  if (await stat(target).catch(() => null)) throw new FlotillaError('conflict', `${target} exists already`);
  const partial = `${target}.${process.pid}.partial`;
  const client = longClient(options, 'flotilla-backup');
  try {
    await client.connect();
    await mkdir(partial, { recursive: true, mode: 0o700 });
    const checksums: Checksums = new Map();
    const manifest = await writeTables(client, partial, checksums, options);
    await writeText(partial, MANIFEST_FILE, `${JSON.stringify(manifest, null, 2)}\n`, checksums);
    const lines = [...checksums].map(([file, checksum]) => `${checksum}  ${file}\n`);
    await writeText(partial, CHECKSUM_FILE, lines.join(''), new Map());
    await flushDirectory(partial);
    await rename(partial, target);
    await flushDirectory(dirname(target));
    return manifest;
  } finally {
    await client.end().catch(() => {});
    await rm(partial, { recursive: true, force: true });
  }
}

async function writeTables(
  client: pg.Client,
  folder: string,
  checksums: Checksums,
  { signal, report }: BackupOptions,
): Promise<BackupManifest> {
  await client.query('begin transaction isolation level repeatable read read only');
  const schema = await readMigrations(client);
  if (schema.length === 0)
    throw new FlotillaError('conflict', 'The database has no tables of Flotilla: there is nothing to back up');
  refuseOtherTables(await readTables(client));
  const createdAt = new Date().toISOString();
  const tables: BackupManifest['tables'] = [];
  for (const name of BACKED_UP_TABLES) {
    const file = `${name}.copy.gz`;
    const columns = await readColumns(client, name);
    const rows = client.query(copyTo(`copy ${name} (${columns.join(', ')}) to stdout`));
    const hash = hashing();
    // The fastest level, so that a backup costs the machine little. Operators may compress it further.
    const writing = createWriteStream(join(folder, file), { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(rows, createGzip({ level: 1 }), hash.stream, writing, { signal });
    checksums.set(file, hash.digest());
    tables.push({ name, file, columns, rows: rows.rowCount });
    report?.(`${name}: ${rows.rowCount} rows`);
  }
  const keyIds = await readKeyIds(client);
  const { rows: version } = await client.query<{ server_version: string }>('show server_version');
  // Sequences ignore transactions. Read last, they are at least as high as any id that was copied.
  const sequences = await readSequences(client);
  await client.query('commit');
  return { format: 1, createdAt, postgres: version[0]!.server_version, schema, keyIds, tables, sequences };
}

function refuseOtherTables(found: string[]): void {
  const unknown = found.filter((table) => !BACKED_UP_TABLES.includes(table));
  const missing = BACKED_UP_TABLES.filter((table) => !found.includes(table));
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

async function writeText(folder: string, file: string, text: string, checksums: Checksums): Promise<void> {
  await writeFile(join(folder, file), text, { flag: 'wx', mode: 0o600, flush: true });
  checksums.set(file, sha256Hex(text));
}

async function flushDirectory(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}
