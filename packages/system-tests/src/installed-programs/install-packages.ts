import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Installs npm packages in these versions into a new folder on the disk, without their install scripts; returns the folder. */
export async function installPackages(dependencies: Record<string, string>): Promise<string> {
  // Other temporary folders may be in memory.
  const folder = await mkdtemp('/var/tmp/flotilla-programs-');
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder });
  return folder;
}
