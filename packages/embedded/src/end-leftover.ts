import { readFile, readlink, realpath, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { serviceError } from './service-error.ts';

const END_DEADLINE_MS = 15_000;

/**
 * Ends a service that an earlier launcher left running over the same data, found by its pid file, and removes the file.
 * If the pid belongs to another program by now, that program is left alone.
 */
export async function endLeftover(pidFile: string, program: RegExp, signal: 'SIGINT' | 'SIGTERM'): Promise<void> {
  const text = await readFile(pidFile, 'utf8').catch(() => null);
  if (text === null) return;
  const pid = Number.parseInt(text, 10);
  if (Number.isInteger(pid) && pid > 1 && (await runsIn(pid, program, dirname(pidFile)))) await end(pid, signal);
  await rm(pidFile, { force: true });
}

async function end(pid: number, signal: 'SIGINT' | 'SIGTERM'): Promise<void> {
  if (!send(pid, signal)) return;
  for (let waitedMs = 0; waitedMs < END_DEADLINE_MS; waitedMs += 50) {
    if (!send(pid, 0) || (await hasEnded(pid))) return;
    await delay(50);
  }
  send(pid, 'SIGKILL');
  await delay(200);
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw serviceError(`Process ${pid} still uses this data and belongs to another user; end it first.`, error);
  }
}

/** In a container nobody may wait for processes whose parent is gone: they stay as zombies. */
async function hasEnded(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
}

/** Both services work in the folder of their data, so that another one with this pid is not taken for ours. */
async function runsIn(pid: number, program: RegExp, folder: string): Promise<boolean> {
  try {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8');
    return program.test(command) && (await readlink(`/proc/${pid}/cwd`)) === (await realpath(folder));
  } catch {
    return false;
  }
}
