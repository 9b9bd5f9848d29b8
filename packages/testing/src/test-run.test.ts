import { spawn } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from '@jest/globals';
import { throwAwayDir } from './throw-away-dir.ts';

type Results = {
  numPassedTests: number;
  numFailedTests: number;
  numRuntimeErrorTestSuites: number;
  testResults: { name: string; message: string; assertionResults: { title: string }[] }[];
};

const ROOT = resolve(import.meta.dirname, '../../..');
const IMPORT = "import { afterAll, beforeAll, expect, test } from '@jest/globals';";
/** Test files by name, each with what Jest must report about it. */
const FILES: Record<string, [source: string, reported: string[]]> = {
  passes: ["test.each([1, 2])('%d is positive', (n: number) => expect(n).toBeGreaterThan(0));", []],
  fails: [
    "test('fails', () => expect(1).toBe(2));",
    ['● fails', 'Expected: 2', "> 2 | test('fails'", 'fails.test.ts:2:'],
  ],
  hangs: ["test('hangs', () => new Promise(() => {}), 100);", ['● hangs', 'Exceeded timeout of 100 ms']],
  rejects: [
    "test('rejects', (done) => { Promise.reject(new Error('nobody waits')); setTimeout(done, 100); });",
    ['● rejects', 'nobody waits'],
  ],
  throws: [
    "test('throws', (done) => { setTimeout(() => { throw new Error('later'); }); setTimeout(done, 100); });",
    ['● throws', 'later'],
  ],
  prepares: ["beforeAll(() => { throw new Error('early'); }); test('prepares', () => {});", ['● prepares', 'early']],
  tidies: ["afterAll(() => { throw new Error('late'); }); test('tidies', () => {});", ['failed to run', 'late']],
  loads: ["throw new Error('at once');", ['failed to run', 'at once']],
  exits: ["test('exits', () => process.exit(0));", ['failed to run', 'crashed']],
  dies: ["test('dies', () => process.kill(process.pid, 'SIGKILL'));", ['failed to run', 'SIGKILL']],
  empty: ['', ['must contain at least one test']],
};

const inRoot = (path: string) => path.replace('<rootDir>', ROOT);
const { runtime, testEnvironment, transform } = (await import(join(ROOT, 'jest.config.mjs'))).default;
const native = { runtime: inRoot(runtime), testEnvironment: inRoot(testEnvironment), transform };

async function runJest(folder: string, config: object): Promise<{ exitCode: number; results: Results }> {
  const outputFile = join(folder, 'results.json');
  const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
  const settings = JSON.stringify({ rootDir: folder, ...config });
  const args = [jest, `--config=${settings}`, '--maxWorkers=2', '--json', `--outputFile=${outputFile}`];
  const exitCode = await new Promise<number>((done) => {
    spawn(process.execPath, args, { cwd: folder, stdio: 'ignore' }).once('close', done);
  });
  return { exitCode, results: JSON.parse(await readFile(outputFile, 'utf8')) };
}

test('a test run reports each test that fails, and each file that cannot run or ends its process', async () => {
  const folder = await throwAwayDir();
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  for (const [name, [source]] of Object.entries(FILES)) {
    await writeFile(join(folder, `${name}.test.ts`), `${IMPORT}\n${source}\n`);
  }
  const { exitCode, results } = await runJest(folder, { ...native, testMatch: ['**/*.test.ts'] });
  expect(results).toMatchObject({ numPassedTests: 3, numFailedTests: 5, numRuntimeErrorTestSuites: 5 });
  expect(exitCode).toBe(1);
  for (const { name, message: coloured } of results.testResults) {
    // CI has colours.
    const message = stripVTControlCharacters(coloured);
    const [, reported] = FILES[name.slice(folder.length + 1).replace('.test.ts', '')]!;
    expect(message).toEqual(reported.length === 0 ? '' : expect.stringContaining(reported[0]!));
    for (const part of reported) expect(message).toContain(part);
  }
  await rm(folder, { recursive: true });
}, 60_000);
