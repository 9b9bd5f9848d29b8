import { spawn } from 'node:child_process';
import { freePort } from '@flotilla/embedded/free-port.ts';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { programArgs } from '@flotilla/runtime/program-entry.ts';
import { waitFor } from '../wait-for.ts';

const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 25_000;

/** One api or worker process, started with the command an operator uses. */
export type FleetProcess = {
  role: 'api' | 'worker';
  /** The HTTP port of an api; the port of the probes of a worker. */
  port: number;
  metricsPort: number;
  pid: number;
  /** Everything the process wrote so far. */
  output(): string;
  hasEnded(): boolean;
  /** kill -9. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
};

/** Where a process is started, with the arguments of Node and its environment. */
export type ProcessCode = (
  role: 'api' | 'worker',
  built?: string,
) => {
  cwd: string;
  args: string[];
  env: Record<string, string>;
};

const THIS_RELEASE: ProcessCode = (role, built) => ({
  cwd: process.cwd(),
  args: programArgs(role, built),
  env: {},
});

/** Starts a process and waits until it says it is ready. */
export async function startProcess(
  role: 'api' | 'worker',
  settings: Record<string, string>,
  chosenPort?: number,
  code?: ProcessCode,
): Promise<FleetProcess> {
  const process = await launchProcess(role, settings, chosenPort, code);
  await untilReady(process).catch(async (error) => {
    await process.kill();
    throw error;
  });
  return process;
}

/** Starts a process without waiting for it to become ready. */
export async function launchProcess(
  role: 'api' | 'worker',
  settings: Record<string, string>,
  chosenPort?: number,
  code: ProcessCode = THIS_RELEASE,
): Promise<FleetProcess> {
  const port = chosenPort ?? (await freePort());
  const metricsPort = await freePort();
  const { cwd, args, env } = code(role, settings.BUILT_PROGRAMS);
  const child = spawn(process.execPath, args, {
    cwd,
    env: {
      PATH: inheritedEnv().PATH,
      ...env,
      HOST: '127.0.0.1',
      ...settings,
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
    },
    // The child sees this channel close when our process ends, even after a kill -9.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    role,
    port,
    metricsPort,
    pid: child.pid!,
    output: () => output,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
    stop: async () => {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
      const code = await exited;
      clearTimeout(timer);
      return code;
    },
  };
}

async function untilReady({ hasEnded, metricsPort, output }: FleetProcess): Promise<void> {
  await waitFor(
    async () => hasEnded() || (await fetch(`http://127.0.0.1:${metricsPort}/readyz`).catch(() => null))?.ok,
    { timeoutMs: READY_WITHIN_MS, message: 'a process that is ready' },
  ).catch((error) => {
    throw new Error(`The process is not ready:\n${output()}`, { cause: error });
  });
  if (hasEnded()) throw new Error(`The process ended:\n${output()}`);
}
