import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { expect, test } from '@jest/globals';
import { findRedis } from './find-redis.ts';

test('Valkey serves where it comes first on the PATH, and what cannot be executed is passed over', async () => {
  const [one, two] = [await throwAwayDir(), await throwAwayDir()];
  await writeFile(join(one, 'redis-server'), '', { mode: 0o644 });
  await writeFile(join(two, 'valkey-server'), '', { mode: 0o755 });
  expect(await findRedis(() => {}, { path: `${one}:${two}:/usr/bin` })).toBe(join(two, 'valkey-server'));
  await Promise.all([one, two].map((dir) => rm(dir, { recursive: true })));
});
