import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { createRunFolder } from './run-folder.ts';

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function runFolder(...options: Parameters<typeof createRunFolder>): string {
  const folder = createRunFolder(...options);
  made.push(folder);
  return folder;
}

test('the folder of a run is in memory where that has room, otherwise with the temporary files', () => {
  const memory = join(tmpdir(), 'memory');
  mkdirSync(memory);
  made.push(memory);
  const within = runFolder(memory, 1);
  expect(dirname(within)).toBe(memory);
  expect(readdirSync(within)).toEqual([]);
  for (const elsewhere of [runFolder(memory, 2 ** 60), runFolder(join(memory, 'gone'), 1)]) {
    expect(dirname(elsewhere)).toBe(tmpdir());
  }
});
