import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const SCRIPT = join(import.meta.dirname, '../../../scripts/failed-tests.mjs');
const { failedTests } = await import(SCRIPT);
const ROOT = join(import.meta.dirname, '../../..');

test('each failed test is named, and a file that failed outside its tests with what it said first', () => {
  const passed = { status: 'passed', fullName: 'works' };
  const testResults = [
    { name: join(ROOT, 'a.test.ts'), status: 'passed', message: '', assertionResults: [passed] },
    {
      ...{ name: join(ROOT, 'b.test.ts'), status: 'failed', message: 'long' },
      assertionResults: [passed, { status: 'failed', fullName: 'a poll ends' }],
    },
    {
      ...{ name: join(ROOT, 'c.test.ts'), status: 'failed', assertionResults: [passed] },
      message: '\n  ● Test suite failed to run\n\n    thrown: "Exceeded timeout of 60000 ms for a hook."\n\n    at c',
    },
  ];
  expect(failedTests({ results: { testResults } })).toEqual([
    'FAILED b.test.ts › a poll ends',
    'FAILED c.test.ts, outside its tests: thrown: "Exceeded timeout of 60000 ms for a hook."',
  ]);
  expect(failedTests({ results: null })).toEqual([]);
});
