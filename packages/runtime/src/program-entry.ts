import { join } from 'node:path';
import { inheritedEnv } from './env.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The programs that can be built into one file each: where their sources are. */
export const PROGRAMS = {
  flotilla: 'apps/flotilla/src',
  api: 'apps/api/src',
  worker: 'apps/worker/src',
  simulator: 'apps/simulator/src',
  maintenance: 'apps/maintenance/src',
  migrate: 'packages/database/src',
  'demo-bot': 'apps/sandbox/src/demo-bot',
} as const;

/**
 * The file that Node starts for a program: its source, or what was built of it if BUILT_PROGRAMS names a folder of built
 * programs.
 */
export function programEntry(program: keyof typeof PROGRAMS, built = inheritedEnv().BUILT_PROGRAMS): string {
  return built ? join(built, program, 'launch.mjs') : join(ROOT, PROGRAMS[program], 'launch.mjs');
}

/** The settings of Node with which an api, a worker and the two in one process start. */
export const NODE_ENV_FILE = join(ROOT, 'packages/runtime/src/node.env');

/** The arguments of Node that start a program. */
export function programArgs(program: keyof typeof PROGRAMS, built?: string): string[] {
  const entry = programEntry(program, built);
  return ['api', 'worker', 'flotilla'].includes(program) ? [`--env-file=${NODE_ENV_FILE}`, entry] : [entry];
}
