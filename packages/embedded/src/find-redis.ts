import { findProgram, type WantedProgram } from './find-program.ts';

const REDIS: WantedProgram = {
  names: ['redis-server', 'valkey-server'],
  aptPackage: 'redis-server',
  missing:
    'There is no redis-server or valkey-server on the PATH: install one (Debian, Ubuntu: sudo apt-get install redis-server; macOS: brew install redis), or set REDIS_URL.',
};

/** The path of redis-server or valkey-server, as findProgram finds it. */
export function findRedis(report: (line: string) => void = () => {}, path?: string): Promise<string> {
  return findProgram(REDIS, report, path);
}
