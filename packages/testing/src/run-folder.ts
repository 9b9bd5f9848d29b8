import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
/** The largest stage needs a third of this. */
const ROOM_BYTES = 6 * 2 ** 30;

/**
 * Creates the folder of a test run: in memory where that has room and runs programs, otherwise in the temporary folder. On a disk, a
 * dozen of Redis servers that sync every write would wait for each other, and for whatever else is written.
 */
export function createRunFolder(inMemory = IN_MEMORY, roomBytes = ROOM_BYTES): string {
  return (hasRoom(inMemory, roomBytes) && folderThatRunsPrograms(inMemory)) || createFolder(tmpdir());
}

function hasRoom(parent: string, roomBytes: number): boolean {
  try {
    const { bavail, bsize } = statfsSync(parent);
    return Math.min(bavail * bsize, freemem()) >= roomBytes;
  } catch {
    return false;
  }
}

function folderThatRunsPrograms(parent: string): string | null {
  const folder = createFolder(parent);
  const program = join(folder, 'program');
  try {
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
    execFileSync(program);
    rmSync(program);
    return folder;
  } catch {
    rmSync(folder, { recursive: true, force: true });
    return null;
  }
}

/** Postgres may run as another user and must be able to enter it. */
function createFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, 'flotilla-test-'));
  chmodSync(folder, 0o711);
  return folder;
}
