import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { NEEDED_COMMANDS } from './needed-rights.ts';
import { libraryText } from './scripts.ts';

const BULLMQ = join(dirname(fileURLToPath(import.meta.resolve('bullmq'))), '../cjs/scripts');

test('the rights that are asked for have every command of our scripts and of those of BullMQ', () => {
  const theirs = readdirSync(BULLMQ).map((file) => readFileSync(join(BULLMQ, file), 'utf8'));
  const called = [libraryText(), ...theirs].flatMap((text) =>
    [...text.matchAll(/\b(?:rcall|redis\.p?call)\(\s*['"](\w+)/g)].map(([, name]) => name!.toLowerCase()),
  );
  expect(new Set(called).size).toBeGreaterThan(50);
  expect([...new Set(called)].filter((name) => !NEEDED_COMMANDS.has(name))).toEqual([]);
});
