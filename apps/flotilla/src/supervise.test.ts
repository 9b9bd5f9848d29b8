import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startGuarded } from '@flotilla/embedded/guarded-process.ts';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { expect, test } from '@jest/globals';
import { supervise } from './supervise.ts';

/** Ends as Redis does when it cannot write, as long as the file is there. */
const SCRIPT = `while [ ! -e "$0" ]; do sleep 0.05; done; echo '# Short write while writing to the AOF file: (nwritten=68, expected=846)'; exit 1`;

test('a store that ends again and again on a full disk is reported once, and once more when it runs again', async () => {
  const dir = await throwAwayDir();
  const full = join(dir, 'full');
  const reported: string[] = [];
  let starts = 0;
  const start = () => {
    starts += 1;
    const args = ['-c', SCRIPT, full];
    return startGuarded({ command: '/bin/sh', args, env: {}, user: null, stopSignal: 'SIGTERM' });
  };
  const { stop } = await supervise('Redis', start, (line) => reported.push(line));
  await writeFile(full, '');
  await waitFor(() => starts === 3, { timeoutMs: 30_000 });
  await rm(full);
  await waitFor(() => reported.length === 2, { timeoutMs: 40_000 });
  expect(reported).toEqual([
    'Redis ended, because its disk is full. It is started again until there is room.',
    'Redis runs again.',
  ]);
  await stop();
  await rm(dir, { recursive: true });
}, 90_000);
