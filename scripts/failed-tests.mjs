import { relative } from 'node:path';
import { ROOT } from './bootstrap.mjs';

/** A line for each failed test of a run (as `runJest` returns it), and for each file that failed outside its tests. */
export function failedTests({ results }) {
  return (results?.testResults ?? []).flatMap(({ name, status, message, assertionResults }) => {
    if (status !== 'failed') return [];
    const path = relative(ROOT, name);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (failed.length === 0) return [`FAILED ${path}, outside its tests: ${firstWords(message)}`];
    return failed.map(({ fullName }) => `FAILED ${path} › ${fullName}`);
  });
}

function firstWords(message = '') {
  const lines = message.split('\n').map((line) => line.trim());
  return lines.find((line) => line !== '' && !line.startsWith('●')) ?? 'no message';
}
