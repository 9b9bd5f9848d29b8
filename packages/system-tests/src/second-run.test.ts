import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';

const SCRIPT = join(import.meta.dirname, '../../../scripts/second-run.mjs');
const { filesToRunAgain, sayRunAgain, withSecondRun } = await import(SCRIPT);
const folder = mkdtempSync(join(tmpdir(), 'second-run-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, statuses: string[], source = 'test()') {
  const path = join(folder, name);
  writeFileSync(path, source);
  const assertionResults = statuses.map((status) => ({ status }));
  return { name: path, status: statuses.includes('failed') ? 'failed' : 'passed', assertionResults };
}

function run(...testResults: ReturnType<typeof file>[]) {
  const statuses = testResults.flatMap((result) => result.assertionResults.map(({ status }) => status));
  const counted = (wanted: string) => statuses.filter((status) => status === wanted).length;
  return { passed: counted('passed'), failed: counted('failed'), results: { testResults } };
}

test('up to twelve failed files run again, and count as their second run counts them', () => {
  const first = run(file('a', ['passed', 'passed']), file('b', ['passed', 'failed']));
  const again = filesToRunAgain(first);
  expect(again).toEqual([join(folder, 'b')]);
  expect(sayRunAgain(again)).toMatch(/runs again alone[\s\S]*second-run-\w+\/b\n/);
  expect(withSecondRun(first, run(file('b', ['passed', 'passed'])), again)).toEqual({ passed: 4, failed: 0 });
  expect(withSecondRun(first, run(file('b', ['failed', 'passed'])), again)).toEqual({ passed: 3, failed: 1 });
  const unreadable = { passed: 0, failed: 1, results: null };
  expect(withSecondRun(first, unreadable, again)).toEqual({ passed: 2, failed: 1 });
  const many = run(...[...'abcdefghijklm'].map((name) => file(name, ['failed'])));
  expect(filesToRunAgain(many)).toEqual([]);
});

test('no file runs again where one that counts updates failed, and none where all passed or nothing was written', () => {
  const counting = file('counting', ['failed'], "import { ledger } from './ledger.ts';");
  expect(filesToRunAgain(run(file('a', ['failed']), counting))).toEqual([]);
  const outsideItsTests = { ...file('hook', ['passed'], 'ledger()'), status: 'failed' };
  expect(filesToRunAgain(run(file('a', ['failed']), outsideItsTests))).toHaveLength(2);
  expect(filesToRunAgain(run(file('a', ['failed'])))).toHaveLength(1);
  expect(filesToRunAgain(run(file('a', ['passed'])))).toEqual([]);
  expect(filesToRunAgain({ passed: 0, failed: 1, results: null })).toEqual([]);
});
