import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const CACHE = join(import.meta.dirname, 'compile-cache.mjs');
const LARGE_MODULE = join(import.meta.dirname, 'settings.ts');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a program that keeps its compiled code in this folder, and returns its output. */
async function runProgram(place: string): Promise<{ stdout: string; stderr: string }> {
  const program = `
    import { keepCompiled } from ${JSON.stringify(CACHE)};
    keepCompiled('program', ${JSON.stringify(place)});
    const { portSetting } = await import(${JSON.stringify(LARGE_MODULE)});
    console.log(portSetting(1).parse(undefined));`;
  const args = ['--input-type=module', '--eval', program];
  return promisify(execFile)(process.execPath, args, { env: {} });
}
const filesBelow = async (place: string) => (await readdir(place, { recursive: true })).length;

test('what a program compiles is kept for its next start', async () => {
  expect(await runProgram(folder)).toEqual({ stdout: '1\n', stderr: '' });
  expect(await filesBelow(join(folder, 'program'))).toBeGreaterThan(10);
});

test('a program starts, and says nothing, where nothing can be kept', async () => {
  const file = join(folder, 'a file');
  await writeFile(file, '');
  expect(await runProgram(file)).toEqual({ stdout: '1\n', stderr: '' });
});
