import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type GuardedProcess, startGuarded } from '@flotilla/embedded/guarded-process.ts';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { programArgs } from '@flotilla/runtime/program-entry.ts';

const READY_DEADLINE_MS = 60_000;

export type Program = {
  name: 'api' | 'worker' | 'simulator';
  env: Record<string, string>;
  /** Answers 200 once the program can be used. */
  readyUrl: string;
  dataDir: string;
};

export type RunningProgram = { name: string; process: GuardedProcess; logFile: string };

/** Starts one of our processes with this same Node, writes its log to a file, and waits until it is ready. */
export async function startProgram(program: Program): Promise<RunningProgram> {
  const logs = join(program.dataDir, 'logs');
  await mkdir(logs, { recursive: true });
  const logFile = join(logs, `${program.name}.log`);
  const process_ = await startGuarded({
    command: process.execPath,
    args: programArgs(program.name),
    cwd: process.cwd(),
    env: { ...inheritedEnv(), ...program.env },
    user: null,
    stopSignal: 'SIGTERM',
    outputFile: logFile,
  });
  const running = { name: program.name, process: process_, logFile };
  try {
    await waitUntilReady(program, running);
  } catch (error) {
    await process_.stop();
    throw error;
  }
  return running;
}

async function waitUntilReady(program: Program, running: RunningProgram): Promise<void> {
  for (const deadlineMs = Date.now() + READY_DEADLINE_MS; Date.now() < deadlineMs; await delay(50)) {
    if (!running.process.running()) throw ended(running);
    const response = await fetch(program.readyUrl, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
    await response?.body?.cancel();
    if (response?.ok) return;
  }
  throw new FlotillaError('unavailable', `The ${running.name} is not ready after a minute: see ${running.logFile}.`);
}

/** The error for a program that ended by itself. */
export function ended({ name, process, logFile }: RunningProgram): FlotillaError {
  return new FlotillaError('unavailable', `The ${name} ended by itself (its log is ${logFile}):\n${process.tail()}`);
}
