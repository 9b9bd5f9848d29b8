import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { inheritedEnv } from '@flotilla/runtime/env.ts';

const MAIN = join(import.meta.dirname, '../../../../apps/maintenance/src/launch.mjs');

/** Runs a command of apps/maintenance as an operator does; resolves with its exit code and all its output. */
export function runMaintenance(
  args: string[],
  settings: Record<string, string>,
): Promise<{ exitCode: number | null; output: string }> {
  return new Promise((resolve) => {
    const env = { PATH: inheritedEnv().PATH, ...settings };
    const child = execFile(process.execPath, [MAIN, ...args], { env }, (_error, stdout, stderr) =>
      resolve({ exitCode: child.exitCode, output: stdout + stderr }),
    );
  });
}
