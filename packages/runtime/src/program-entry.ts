import { join } from 'node:path';
import { inheritedEnv } from './env.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The programs that can be built into one file each: where their sources are. */
export const PROGRAMS = {
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
