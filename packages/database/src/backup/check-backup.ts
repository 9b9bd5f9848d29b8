import { Writable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { BackupSource } from './backup-folder.ts';
import { type BackupManifest, backupManifest, CHECKSUM_FILE, MANIFEST_FILE } from './backup-manifest.ts';
import { hashing } from './hashing.ts';

const LINE = /^([0-9a-f]{64}) {2}(.+)$/;

/** Reads a whole backup and checks its checksums. Throws FlotillaError('bad_request') that says what is wrong. */
export async function checkBackup(source: BackupSource, signal: AbortSignal): Promise<BackupManifest> {
  const listed = await readChecksums(source);
  for (const [file, checksum] of listed) {
    const hash = hashing();
    const reading = pipeline(source.read(file), hash.stream, discard(), { signal });
    await reading.catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? refusal(source, `${file} is missing`) : error;
    });
    if (hash.digest() !== checksum) throw refusal(source, `${file} was changed after the backup`);
  }
  const manifest = await readManifest(source);
  const needed = [MANIFEST_FILE, ...manifest.tables.flatMap(({ files }) => files.map(({ file }) => file))];
  const unlisted = needed.find((file) => !listed.has(file));
  if (unlisted !== undefined) throw refusal(source, `${CHECKSUM_FILE} does not name ${unlisted}`);
  return manifest;
}

async function readChecksums(source: BackupSource): Promise<Map<string, string>> {
  const text = await textOf(source, CHECKSUM_FILE);
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const [, checksum, file] = LINE.exec(line) ?? [];
      if (!checksum || !file || file.includes('/'))
        throw refusal(source, `${CHECKSUM_FILE} was changed after the backup`);
      return [file, checksum];
    }),
  );
}

async function readManifest(source: BackupSource): Promise<BackupManifest> {
  const text = await textOf(source, MANIFEST_FILE);
  const content: unknown = JSON.parse(text);
  if ((content as { format?: unknown }).format !== 1) {
    throw refusal(source, 'a newer release wrote it, in another format');
  }
  return backupManifest.parse(content);
}

async function textOf(source: BackupSource, file: string): Promise<string> {
  return readText(source.read(file)).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? refusal(source, `it has no ${file}`) : error;
  });
}

function refusal({ name }: BackupSource, why: string): FlotillaError {
  return new FlotillaError('bad_request', `${name} cannot be restored: ${why}`);
}

function discard(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
