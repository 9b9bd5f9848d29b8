import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import type { Image } from './build-image.ts';

export type Container = {
  output(): string;
  /** The exit code, once the process has ended by itself. */
  ended: Promise<number | null>;
  /** Sends the image's stop signal and returns the exit code. */
  stop(): Promise<number | null>;
};

/**
 * Starts a command in an image's folder with only the given environment. As root: it runs as process 1 of a new process
 * space, as the image's user, with all mounts read-only. Otherwise: as this user, with the folder read-only.
 */
export function runContainer(image: Image, options: RunOptions): Container {
  const command = options.command ?? image.command;
  const asRoot = process.getuid?.() === 0;
  if (!asRoot) chmodSync(join(image.dir, image.workdir), 0o555);
  const [file, ...args] = asRoot ? isolated(image, command) : command;
  const child = spawn(file!, args, {
    cwd: join(image.dir, image.workdir),
    env: { ...image.env, ...options.env, PATH: `${dirname(options.node)}:${inheritedEnv().PATH}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const stop = () => {
    if (child.exitCode !== null || child.signalCode !== null) return ended;
    const pid = asRoot ? firstChildOf(child) : child.pid;
    if (pid !== undefined) process.kill(pid, image.stopSignal as NodeJS.Signals);
    return ended;
  };
  return { output: () => output, ended, stop };
}

type RunOptions = { env: Record<string, string>; node: string; command?: string[] };

function isolated(image: Image, command: string[]): string[] {
  const [uid, gid] = image.user.split(':');
  const readOnly = 'mount --bind . . && mount -o remount,bind,ro . && mount -o remount,bind,ro / && cd "$PWD"';
  const asUser = `exec setpriv --reuid=${uid} --regid=${gid} --clear-groups --no-new-privs "$@"`;
  return [
    'unshare',
    ...['--mount', '--pid', '--fork', '--mount-proc', '--kill-child'],
    ...['sh', '-ec', `${readOnly}; ${asUser}`, 'sh', ...command],
  ];
}

/** unshare waits for its child, which is process 1 inside; signals must go to that child. */
function firstChildOf({ pid }: ChildProcess): number | undefined {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children === '' ? undefined : Number(children.split(' ')[0]);
}
