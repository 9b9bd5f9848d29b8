import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';

export type ServiceCommand = {
  command: string;
  args: string[];
  /** The default is `/`. */
  cwd?: string;
  env: Record<string, string | undefined>;
  user: { uid: number; gid: number } | null;
  /** The signal that stops the service in an orderly way. */
  stopSignal: 'SIGINT' | 'SIGTERM';
  /** A new file for all its output. Without one, only the last lines are kept, in memory. */
  outputFile?: string;
  /** Removed at the end. If the launcher was killed, the guard removes it. */
  removeAfterwards?: string;
};

export type GuardedProcess = {
  pid: number;
  /** The last lines that the service wrote, for error messages. */
  tail(): string;
  /** Resolves once a line contains the text. Rejects when the process ends first. Does not work with an outputFile. */
  waitForOutput(text: string): Promise<void>;
  exited: Promise<void>;
  /** The signal that ended it; null if none did. */
  endedBy(): string | null;
  running(): boolean;
  stop(): Promise<void>;
  kill(): void;
};

const STOP_GRACE_MS = 15_000;
const TAIL_LINES = 12;

// The guard holds a pipe to the launcher. If the pipe closes without a word, the launcher was killed, and the guard
// ends the service.
const GUARD_SCRIPT = `
trap '' INT TERM HUP
read -r word
kill -s "$2" "$1" 2>/dev/null
i=0
while [ $i -lt 100 ] && kill -0 "$1" 2>/dev/null; do sleep 0.1; i=$((i + 1)); done
kill -s KILL "$1" 2>/dev/null
[ -z "$3" ] || rm -rf -- "$3"
`;

/**
 * Starts a service in its own process group, which Ctrl-C does not reach. The service ends with this process, however
 * this process ends. Rejects when the command cannot be executed.
 */
export async function startGuarded(service: ServiceCommand): Promise<GuardedProcess> {
  const output = service.outputFile === undefined ? 'pipe' : openSync(service.outputFile, 'w', 0o600);
  const child = spawn(service.command, service.args, {
    cwd: service.cwd ?? '/',
    detached: true,
    env: service.env,
    stdio: ['ignore', output, output],
    ...service.user,
  });
  if (output !== 'pipe') closeSync(output);
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  const guard = startGuard(child.pid!, service);
  void exited.then(() => guard.kill('SIGKILL'));
  const watched = service.outputFile ? readOutput(service.outputFile) : watchOutput(child, exited);
  const running = () => child.exitCode === null && child.signalCode === null;

  return {
    pid: child.pid!,
    ...watched,
    exited,
    endedBy: () => child.signalCode,
    running,
    stop: async () => {
      if (running()) child.kill(service.stopSignal);
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS);
      await exited;
      clearTimeout(timer);
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

function startGuard(pid: number, service: ServiceCommand): ChildProcess {
  const signal = service.stopSignal.slice('SIG'.length);
  const guard = spawn('/bin/sh', ['-c', GUARD_SCRIPT, 'guard', String(pid), signal, service.removeAfterwards ?? ''], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  (guard.stdin as unknown as { unref(): void }).unref();
  return guard;
}

function readOutput(file: string) {
  return {
    tail: () => readFileSync(file, 'utf8').trimEnd().split('\n').slice(-TAIL_LINES).join('\n'),
    waitForOutput: () => Promise.reject(new Error('The output goes into a file')),
  };
}

function watchOutput(child: ChildProcess, exited: Promise<void>) {
  const lines: string[] = [];
  const waiting = new Map<string, () => void>();
  const seen = (chunk: string) => {
    lines.push(...chunk.split('\n').filter((line) => line.trim() !== ''));
    for (const [text, resolve] of waiting) if (lines.some((line) => line.includes(text))) resolve();
    lines.splice(0, lines.length - TAIL_LINES);
  };
  child.stdout?.setEncoding('utf8').on('data', seen);
  child.stderr?.setEncoding('utf8').on('data', seen);
  return {
    tail: () => lines.join('\n'),
    waitForOutput: (text: string) =>
      new Promise<void>((resolve, reject) => {
        waiting.set(text, resolve);
        seen('');
        void exited.then(() => reject(new Error(lines.join('\n') || 'it ended without any output')));
      }).finally(() => waiting.delete(text)),
  };
}
