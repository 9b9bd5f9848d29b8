import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { inheritedEnv } from '@flotilla/runtime/env.ts';

const run = promisify(execFile);

/** Installs a Debian package without asking, if we are root. Returns false when that is not possible. */
export async function aptInstall(name: string, report: (line: string) => void): Promise<boolean> {
  if (process.getuid?.() !== 0) return false;
  // RUNLEVEL=1, because a package with a server would start that server otherwise.
  const env = { ...inheritedEnv(), DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  // Several test files may each install a package at the same time.
  const options = ['-q', '-y', '-o', 'DPkg::Lock::Timeout=300'];
  const apt = (...args: string[]) => run('apt-get', [...options, ...args], { env, maxBuffer: 1 << 24 });
  const install = () => apt('install', '--no-install-recommends', name);
  report(`installing ${name} with apt-get`);
  try {
    await install().catch(async () => {
      await apt('update');
      await install();
    });
    return true;
  } catch {
    return false;
  }
}
