import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Copies git's files under these paths, with the modes of a checkout under umask 027: others have no rights. */
export async function closedCheckout(root: string, paths: string[], target: string): Promise<void> {
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...paths];
  const { stdout } = await run('git', ['-C', root, ...listed], { maxBuffer: 1 << 24 });
  const files = stdout.split('\0').filter((file) => file !== '');
  for (const file of files) {
    await mkdir(dirname(join(target, file)), { recursive: true });
    // The file was deleted, but the deletion is not committed yet.
    await cp(join(root, file), join(target, file)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
  await close(target);
}

async function close(path: string): Promise<void> {
  const { mode } = await stat(path);
  await chmod(path, mode & 0o750);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const below = join(path, entry.name);
    if (entry.isDirectory()) await close(below);
    else await chmod(below, (await stat(below)).mode & 0o750);
  }
}
