import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { CHECKSUM_FILE } from './backup-manifest.ts';

/** Where a new backup is written to. */
export interface BackupTarget {
  /** A stream that has finished when the file is stored. */
  open(file: string): Writable;
  /** Gives the backup its name. Before that nobody takes it for one. */
  complete(): Promise<void>;
  /** Removes what is there of a backup that was not completed. */
  abandon(): Promise<void>;
}

/** Where a backup is read from. */
export interface BackupSource {
  name: string;
  /** Fails with the code ENOENT if there is no such file. */
  read(file: string): Readable;
}

export interface HeldBackup {
  name: string;
  /** When something was last written to an unfinished one; null: it is complete. */
  unfinishedAtMs: number | null;
}

/** A place that holds backups, each under a name of its own. */
export interface BackupStore {
  list(): Promise<HeldBackup[]>;
  /** Throws FlotillaError('conflict') if the name is taken. */
  create(name: string): Promise<BackupTarget>;
  remove(name: string): Promise<void>;
}

/** The end of a directory's name until the backup in it is complete. */
const PARTIAL = '.partial';

/** A directory as the target of one backup. Throws FlotillaError('conflict') if it exists. */
export async function folderTarget(folder: string): Promise<BackupTarget> {
  const target = resolve(folder);
  if (await stat(target).catch(() => null)) throw new FlotillaError('conflict', `${target} exists already`);
  const partial = `${target}.${process.pid}${PARTIAL}`;
  await mkdir(partial, { recursive: true, mode: 0o700 });
  return {
    open: (file) => createWriteStream(join(partial, file), { flags: 'wx', mode: 0o600, flush: true }),
    complete: async () => {
      await flushDirectory(partial);
      await rename(partial, target);
      await flushDirectory(dirname(target));
    },
    abandon: () => rm(partial, { recursive: true, force: true }),
  };
}

export function folderSource(folder: string): BackupSource {
  return { name: folder, read: (file) => createReadStream(join(folder, file)) };
}

/** A directory that holds backups. */
export function folderStore(folder: string): BackupStore {
  return {
    list: async () => {
      const found = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
        throw new FlotillaError('not_found', `There is no directory ${folder}`);
      });
      const held = found.filter((entry) => entry.isDirectory()).map(({ name }) => heldIn(folder, name));
      // A folder that cannot be read, such as lost+found, is no backup.
      return (await Promise.allSettled(held)).flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    },
    create: (name) => folderTarget(join(folder, name)),
    remove: async (name) => {
      // Without its checksums it is no backup any more, if this is interrupted.
      await rm(join(folder, name, CHECKSUM_FILE), { force: true });
      await rm(join(folder, name), { recursive: true, force: true });
    },
  };
}

async function heldIn(folder: string, name: string): Promise<HeldBackup> {
  const files = await readdir(join(folder, name));
  if (!name.endsWith(PARTIAL) && files.includes(CHECKSUM_FILE)) return { name, unfinishedAtMs: null };
  const written = await Promise.all(['.', ...files].map((file) => stat(join(folder, name, file))));
  return { name, unfinishedAtMs: Math.max(...written.map(({ mtimeMs }) => mtimeMs)) };
}

async function flushDirectory(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}
