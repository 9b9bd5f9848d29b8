import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileRange, OpenedFile } from '@flotilla/telegram/platform-client.ts';
import { partOf } from './file-part.ts';
import { filePieces } from './file-pieces.ts';

/** A pipe must not keep the open waiting, and the last part of the path may not be a link. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const NOT_FOUND: OpenedFile = { outcome: 'refused', status: 404 };

/** The directory of a bot below that of its server (Client.cpp: the token, and `:T` in the test environment). */
export function directoryOf(token: string, isTest: boolean): string {
  return isTest ? `${token}:T` : token;
}

/** The path of a file below the directory of its bot, from the one that a server in local mode names; null: it is elsewhere. */
export function pathInDirectory(path: string, directory: string): string | null {
  if (!path.startsWith('/')) return path;
  const at = path.indexOf(`/${directory}/`);
  const below = at === -1 ? '' : path.slice(at + directory.length + 2);
  return isPlain(below) ? below : null;
}

/**
 * Opens a file of a bot in the folder of its server. Whatever leads out of the directory of the bot is not found: the path of what was
 * opened is looked at, so it does not matter what changes meanwhile. Never throws.
 */
export async function openServerFile(
  folder: string,
  { directory, path, part }: { directory: string; path: string; part: FileRange | undefined },
): Promise<OpenedFile> {
  // Beside the folders of files lies the server's own record of the bot.
  if (!isPlain(path) || !path.includes('/')) return NOT_FOUND;
  let file: FileHandle | undefined;
  try {
    const root = join(await realpath(folder), directory);
    file = await open(join(root, path), FLAGS);
    const opened = await readlink(`/proc/self/fd/${file.fd}`);
    const stats = await file.stat();
    if (opened.startsWith(`${root}/`) && stats.isFile())
      return answer(file, { size: stats.size, mtimeMs: stats.mtimeMs, part });
  } catch (error) {
    await file?.close();
    return failure(error);
  }
  await file.close();
  return NOT_FOUND;
}

type Opening = { size: number; mtimeMs: number; part: FileRange | undefined };

async function answer(file: FileHandle, { size, mtimeMs, part }: Opening): Promise<OpenedFile> {
  const etag = `"${size.toString(16)}-${Math.floor(mtimeMs).toString(16)}"`;
  const modified = new Date(mtimeMs).toUTCString();
  const isCurrent = part?.ifRange === undefined || part.ifRange === etag || part.ifRange === modified;
  const wanted = isCurrent ? partOf(part?.range, size) : null;
  if (wanted === 'unsatisfiable') {
    await file.close();
    return { outcome: 'refused', status: 416 };
  }
  const { from, to } = wanted ?? { from: 0, to: size - 1 };
  return {
    outcome: 'open',
    status: wanted === null ? 200 : 206,
    stream: filePieces(file, { from, to }),
    size: to - from + 1,
    // Its name tells the type to whoever shows it.
    mime: 'application/octet-stream',
    headers: {
      ...{ 'accept-ranges': 'bytes', etag, 'last-modified': modified },
      ...(wanted === null ? {} : { 'content-range': `bytes ${from}-${to}/${size}` }),
    },
  };
}

/** No segment leads up, is empty, or ends the path for the system. */
function isPlain(path: string): boolean {
  return (
    path !== '' && !path.includes('\0') && path.split('/').every((one) => one !== '' && one !== '.' && one !== '..')
  );
}

const MISSING = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ENXIO', 'EISDIR']);

function failure(error: unknown): OpenedFile {
  const code = String((error as { code?: unknown }).code);
  return MISSING.has(code)
    ? NOT_FOUND
    : { outcome: 'unreachable', reason: `the file cannot be read (${code})`, timedOut: false };
}
