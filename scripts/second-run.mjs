import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { ROOT } from './bootstrap.mjs';

// CI runs a few failed files once more, alone: on a busy machine a test can miss a deadline through no fault of the change.
// Nothing is hidden: the first failure stays in the log, and a warning names the file.

/** More failed files than these are the change's fault, not the machine's. */
const FILES_AT_MOST = 12;
/** A test that counts updates never fails by chance: one lost update in a hundred runs is a fault of ours. */
const COUNTS_UPDATES = /ledger|random-faults/i;

/** The paths of the failed files of a run (as `runJest` returns it), if they may run once more; otherwise none. */
export function filesToRunAgain({ results }) {
  const failed = (results?.testResults ?? []).filter(({ status }) => status === 'failed');
  return failed.length > FILES_AT_MOST || failed.some(countedWrong) ? [] : failed.map(({ name }) => name);
}

/** A file that counts updates and failed outside its tests, in a hook, has counted them right. */
function countedWrong({ name, assertionResults }) {
  return assertionResults.some(({ status }) => status === 'failed') && COUNTS_UPDATES.test(readFileSync(name, 'utf8'));
}

export function sayRunAgain(files) {
  const names = files.map((file) => relative(ROOT, file));
  const heading = `\nFailed once, and runs again alone (a test that then passes needs mending all the same):\n`;
  // GitHub shows such a line with the run.
  const warnings = process.env.GITHUB_ACTIONS ? names.map((name) => `::warning file=${name}::failed once\n`) : [];
  return [heading, ...names.map((name) => `  ${name}\n`), ...warnings].join('');
}

/** The counts of both runs together: of the files that ran twice, those of their second run. */
export function withSecondRun(first, second, files) {
  const ofFiles = first.results.testResults.filter(({ name }) => files.includes(name));
  const passedBefore = ofFiles.flatMap((file) => file.assertionResults).filter(({ status }) => status === 'passed');
  return { passed: first.passed - passedBefore.length + second.passed, failed: second.failed };
}
