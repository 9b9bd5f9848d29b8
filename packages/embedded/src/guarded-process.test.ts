import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { describe, expect, test } from '@jest/globals';
import { startGuarded } from './guarded-process.ts';

const base = { env: {}, user: null, stopSignal: 'SIGTERM' } as const;
const shell = (script: string) => ({ ...base, command: '/bin/sh', args: ['-c', script] });

describe('A guarded process', () => {
  test('is stopped by its signal, and then its guard is gone too', async () => {
    const service = await startGuarded(shell('trap "echo bye; exit 0" TERM; echo up; while :; do sleep 0.05; done'));
    await service.waitForOutput('up');
    expect(service.running()).toBe(true);
    await service.stop();
    expect(service.running()).toBe(false);
    expect(service.tail()).toBe('up\nbye');
  });

  test('that ends by itself shows its last words', async () => {
    const service = await startGuarded(shell('echo the port is taken >&2; exit 3'));
    await expect(service.waitForOutput('ready')).rejects.toThrow('the port is taken');
    await service.exited;
    await service.stop();
  });

  test('that cannot be executed rejects', async () => {
    await expect(startGuarded({ ...base, command: '/nowhere/redis-server', args: [] })).rejects.toThrow('ENOENT');
  });

  test('ends when its launcher is killed with SIGKILL, and what was to be removed is removed', async () => {
    const dir = await throwAwayDir();
    const file = new URL('./guarded-process.ts', import.meta.url).href;
    const service = { ...shell('while :; do sleep 0.05; done'), removeAfterwards: join(dir, 'data') };
    const program = `
      import { mkdirSync } from 'node:fs';
      import { startGuarded } from '${file}';
      mkdirSync('${join(dir, 'data')}');
      process.send((await startGuarded(${JSON.stringify(service)})).pid);
    `;
    const launcher = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const [pid] = (await once(launcher, 'message')) as [number];
    expect(alive(pid)).toBe(true);
    launcher.kill('SIGKILL');
    await waitFor(() => !alive(pid), { message: 'the service to end' });
    await waitFor(
      () =>
        access(join(dir, 'data')).then(
          () => false,
          () => true,
        ),
      { message: 'the data to be removed' },
    );
    await rm(dir, { recursive: true, force: true });
  });
});

function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
