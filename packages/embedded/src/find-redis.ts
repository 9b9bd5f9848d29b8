import { type FindOptions, findProgram, type WantedProgram } from './find-program.ts';

const REDIS: WantedProgram = {
  names: ['valkey-server', 'redis-server'],
  aptPackage: 'redis-server',
  missing:
    'There is no valkey-server or redis-server on the PATH: install one (Debian, Ubuntu: sudo apt-get install valkey-server, or redis-server; macOS: brew install valkey), or set REDIS_URL.',
};

/** The path of valkey-server or redis-server, as findProgram finds it. */
export function findRedis(report: (line: string) => void = () => {}, options?: FindOptions): Promise<string> {
  return findProgram(REDIS, report, options);
}
