import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { aptInstall } from './apt-install.ts';
import { serviceError } from './service-error.ts';

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
  if (await aptInstall('redis-server', report)) {
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
