import { type ChildProcess, execFile } from 'node:child_process';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { programEntry } from '@flotilla/runtime/program-entry.ts';

/** Runs a command of apps/maintenance as an operator does; resolves with its exit code and all its output. `begun` gets its process. */
export function runMaintenance(
  args: string[],
  settings: Record<string, string>,
  begun: (child: ChildProcess) => void = () => {},
): Promise<{ exitCode: number | null; output: string }> {
  return new Promise((resolve) => {
    const env = { PATH: inheritedEnv().PATH, ...settings };
    const child = execFile(
      process.execPath,
      [programEntry('maintenance'), ...args],
      { env },
      (_error, stdout, stderr) => resolve({ exitCode: child.exitCode, output: stdout + stderr }),
    );
    begun(child);
  });
}
