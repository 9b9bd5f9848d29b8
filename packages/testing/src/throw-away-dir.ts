import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a temporary directory. Postgres may run as another user and must be able to enter it. */
export async function throwAwayDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'flotilla-test-'));
  await chmod(dir, 0o711);
  return dir;
}

/** Removes it, if it is there, although a process that was told to end may still write into it. */
export function removeDir(dir: string): Promise<void> {
  return rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
