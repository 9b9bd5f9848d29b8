import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { serviceError } from './service-error.ts';

const run = promisify(execFile);
const PROGRAMS = ['redis-server', 'valkey-server'];
const USUAL_PLACES = ['/usr/local/bin', '/usr/bin', '/usr/sbin', '/opt/homebrew/bin'];

/**
 * The path of redis-server or valkey-server; as root on Debian and its kin it is installed when missing.
 * Throws FlotillaError with one line that says how to install it.
 */
export async function findRedis(
  report: (line: string) => void = () => {},
  path: string = inheritedEnv().PATH ?? '',
): Promise<string> {
  const found = await firstProgram([...path.split(delimiter), ...USUAL_PLACES]);
  if (found) return found;
  if (process.getuid?.() === 0 && (await aptInstall(report))) {
    const installed = await firstProgram(USUAL_PLACES);
    if (installed) return installed;
  }
  throw serviceError(
    'There is no redis-server or valkey-server on the PATH: install one (Debian, Ubuntu: sudo apt-get install redis-server; macOS: brew install redis), or set REDIS_URL.',
  );
}

async function firstProgram(folders: string[]): Promise<string | null> {
  for (const folder of new Set(folders)) {
    for (const program of PROGRAMS) {
      const path = join(folder || '/', program);
      const usable = await access(path, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (usable) return path;
    }
  }
  return null;
}

async function aptInstall(report: (line: string) => void): Promise<boolean> {
  // RUNLEVEL=1: the package would start a server of its own otherwise.
  const env = { ...inheritedEnv(), DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const apt = (...args: string[]) => run('apt-get', ['-q', '-y', ...args], { env, maxBuffer: 1 << 24 });
  const install = () => apt('install', '--no-install-recommends', 'redis-server');
  report('installing redis-server with apt-get');
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
