import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new directory under the system's temporary one, which Postgres may pass through when it runs as another user. */
export async function throwAwayDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'flotilla-test-'));
  await chmod(dir, 0o711);
  return dir;
}
