import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap, runOnPinnedNode } from './bootstrap.mjs';
import { EVERY_NIGHT, SAME_OVER_EVERY_FORM, WITH_EVERY_CHANGE } from './redis-forms.mjs';

// node scripts/test.mjs [faults | sentinel | cluster] [all | file patterns …]: the last line is always `N passed, N
// failed`. sentinel and cluster run the tests that redis-forms.mjs lists; `all` runs its nightly list.

const FAULT_TESTS = '\\.fault\\.test\\.ts$';
const LEFT_RUNNING_MS = 20_000;
/** Fault tests expect responses within a time limit, so fewer of them run at once than of other tests. */
const FAULT_TESTS_AT_ONCE = 3;

const selection = ['faults', 'sentinel', 'cluster'].find((name) => name === process.argv[2]);
const named = process.argv.slice(selection ? 3 : 2).filter((argument) => argument !== '--');
const faults = selection === 'faults';
const redisForm = faults ? undefined : selection;
const patterns = patternsOf(redisForm, named);
if (redisForm) process.env.TEST_REDIS = redisForm;

await bootstrap();
const folder = mkdtempSync(join(tmpdir(), 'flotilla-results-'));
const resultFile = join(folder, 'results.json');
const code = await runOnPinnedNode(jestArguments(), { onStart: endWhenDone });
const { passed, failed } = count(code);
rmSync(folder, { recursive: true, force: true });
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exitCode = code === 0 && failed === 0 ? 0 : 1;

function jestArguments() {
  const jest = ['node_modules/jest/bin/jest.js', ...patterns, '--json', `--outputFile=${resultFile}`];
  // Patterns come first: after an option that takes a list, Jest would add them to that list.
  if (faults)
    return [...jest, `--maxWorkers=${FAULT_TESTS_AT_ONCE}`, '--testMatch=**/*.fault.test.ts', ...noneIsFine()];
  // Six servers start instead of one.
  if (redisForm) jest.push('--testTimeout=90000');
  const namesFaultTest = patterns.some((pattern) => pattern.includes('.fault.'));
  const sameOverEvery = patterns === EVERY_NIGHT ? Object.keys(SAME_OVER_EVERY_FORM) : [];
  const leftOut = [...(namesFaultTest ? [] : [FAULT_TESTS]), ...sameOverEvery];
  return [...jest, ...leftOut.map((pattern) => `--testPathIgnorePatterns=${pattern}`)];
}

function patternsOf(form, wanted) {
  if (form === undefined) return wanted;
  if (wanted.length === 0) return Object.keys(WITH_EVERY_CHANGE);
  return wanted[0] === 'all' ? EVERY_NIGHT : wanted;
}

function noneIsFine() {
  return patterns.length === 0 ? ['--passWithNoTests'] : [];
}

/**
 * Nothing may run once the results are written. A test that left something running must not delay the run: end the run,
 * and let it fail.
 */
function endWhenDone(child) {
  let doneMs = 0;
  const watch = setInterval(() => {
    if (doneMs === 0 && existsSync(resultFile)) doneMs = Date.now();
    if (doneMs === 0 || Date.now() - doneMs < LEFT_RUNNING_MS) return;
    process.stderr.write('The tests are done, but one of them left something running: the run is ended.\n');
    child.kill('SIGKILL');
    clearInterval(watch);
  }, 500);
  child.once('exit', () => clearInterval(watch));
}

/** A file that could not run, and a run without results, count as one failed test each. */
function count(exitCode) {
  try {
    const results = JSON.parse(readFileSync(resultFile, 'utf8'));
    const failedTests = results.numFailedTests + results.numRuntimeErrorTestSuites;
    return { passed: results.numPassedTests, failed: Math.max(failedTests, exitCode === 0 ? 0 : 1) };
  } catch {
    return { passed: 0, failed: 1 };
  }
}
