import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { type BackupManifest, backupManifest, CHECKSUM_FILE, MANIFEST_FILE } from './backup-manifest.ts';
import { hashing } from './hashing.ts';

const LINE = /^([0-9a-f]{64}) {2}(.+)$/;

/** Reads a whole backup and checks its checksums. Throws FlotillaError('bad_request') that says what is wrong. */
export async function checkBackup(folder: string, signal: AbortSignal): Promise<BackupManifest> {
  const listed = await readChecksums(folder);
  for (const [file, checksum] of listed) {
    const hash = hashing();
    const reading = pipeline(createReadStream(join(folder, file)), hash.stream, discard(), { signal });
    await reading.catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? refusal(folder, `${file} is missing`) : error;
    });
    if (hash.digest() !== checksum) throw refusal(folder, `${file} was changed after the backup`);
  }
  const manifest = await readManifest(folder);
  const needed = [MANIFEST_FILE, ...manifest.tables.map((table) => table.file)];
  const unlisted = needed.find((file) => !listed.has(file));
  if (unlisted !== undefined) throw refusal(folder, `${CHECKSUM_FILE} does not name ${unlisted}`);
  return manifest;
}

async function readChecksums(folder: string): Promise<Map<string, string>> {
  const text = await readFile(join(folder, CHECKSUM_FILE), 'utf8').catch(() => {
    throw refusal(folder, `it has no ${CHECKSUM_FILE}`);
  });
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const [, checksum, file] = LINE.exec(line) ?? [];
      if (!checksum || !file || file.includes('/'))
        throw refusal(folder, `${CHECKSUM_FILE} was changed after the backup`);
      return [file, checksum];
    }),
  );
}

async function readManifest(folder: string): Promise<BackupManifest> {
  const text = await readFile(join(folder, MANIFEST_FILE), 'utf8').catch(() => {
    throw refusal(folder, `it has no ${MANIFEST_FILE}`);
  });
  const content: unknown = JSON.parse(text);
  if ((content as { format?: unknown }).format !== 1) {
    throw refusal(folder, 'a newer release wrote it, in another format');
  }
  return backupManifest.parse(content);
}

function refusal(folder: string, why: string): FlotillaError {
  return new FlotillaError('bad_request', `${folder} cannot be restored: ${why}`);
}

function discard(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
