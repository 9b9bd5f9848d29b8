import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap, fail, ROOT, runOnPinnedNode } from './bootstrap.mjs';
import { buildConsoleIfStale } from './build-console.mjs';
import { buildPrograms, startFrom } from './build-programs.mjs';
import { failedTests } from './failed-tests.mjs';
import { EVERY_NIGHT, FILES_AT_ONCE, SAME_OVER_EVERY_FORM, WITH_EVERY_CHANGE } from './redis-forms.mjs';
import { filesToRunAgain, sayRunAgain, withSecondRun } from './second-run.mjs';
import { filesNamed, filesOf, STAGES } from './test-stages.mjs';

// node scripts/test.mjs [a stage of test-stages.mjs | sentinel | cluster] [all | file patterns …]: the last line is always
// `N passed, N failed`, and those before it name what failed. sentinel and cluster run the tests that redis-forms.mjs lists; `all`
// runs its nightly list.

const LEFT_RUNNING_MS = 20_000;
const BROWSER_TESTS = ['apps/console/tests', 'apps/sandbox/src/phone'];

const selections = [...Object.keys(STAGES), 'sentinel', 'cluster'];
const selection = selections.find((name) => name === process.argv[2]);
const named = process.argv.slice(selection ? 3 : 2).filter((argument) => argument !== '--');
const stage = selection !== undefined && selection in STAGES ? selection : undefined;
const redisForm = stage ? undefined : selection;
const patterns = patternsOf(redisForm, named);
if (redisForm) process.env.TEST_REDIS = redisForm;

await bootstrap();
if (runsBrowserTests() && (await buildConsoleIfStale()) !== 0) fail('The console could not be built.');
startFrom(runsWhole() ? ((await buildPrograms()) ?? fail('The programs could not be built.')) : null);
const folder = mkdtempSync(join(tmpdir(), 'flotilla-results-'));
const first = await runJest(join(folder, 'first.json'), jestArguments());
const again = runsWhole() && process.env.SECOND_RUN === 'true' ? filesToRunAgain(first) : [];
const { passed, failed, failures } = again.length === 0 ? first : await runOnceMore(again);
rmSync(folder, { recursive: true, force: true });
process.stdout.write(`\n${failures.map((line) => `${line}\n`).join('')}${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

async function runOnceMore(files) {
  process.stdout.write(sayRunAgain(files));
  const redisOptions = redisForm ? ['--testTimeout=90000'] : [];
  const second = await runJest(join(folder, 'second.json'), [
    '--runTestsByPath',
    ...files,
    '--maxWorkers=1',
    ...redisOptions,
  ]);
  return { ...withSecondRun(first, second, files), failures: second.failures };
}

/** The counts of one run of Jest, and its results unless it wrote none. */
async function runJest(resultFile, jestOptions) {
  const jest = ['node_modules/jest/bin/jest.js', ...jestOptions, '--json', `--outputFile=${resultFile}`];
  const code = await runOnPinnedNode(jest, { onStart: (child) => endWhenDone(child, resultFile) });
  return count(resultFile, code);
}

function jestArguments() {
  // Patterns come first: after an option that takes a list, Jest would add them to that list.
  const jest = [...patterns];
  // Six servers start instead of one.
  if (redisForm) jest.push('--testTimeout=90000', `--maxWorkers=${FILES_AT_ONCE[redisForm]}`);
  if (STAGES[stage]?.atOnce) jest.push(`--maxWorkers=${STAGES[stage].atOnce}`);
  if (stage && patterns.length === 0) jest.push('--passWithNoTests');
  const globs = stage || patterns.length === 0 ? filesOf(stage) : filesNamed(patterns);
  const leftOut = patterns === EVERY_NIGHT ? Object.keys(SAME_OVER_EVERY_FORM) : [];
  return [
    ...jest,
    ...globs.map((glob) => `--testMatch=${glob}`),
    ...leftOut.map((pattern) => `--testPathIgnorePatterns=${pattern}`),
  ];
}

/** Build the console once, before test files could build it side by side. */
function runsBrowserTests() {
  if (stage === 'console') return true;
  const tests = BROWSER_TESTS.flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`));
  return tests.some(
    (test) => test.endsWith('.browser.test.ts') && named.some((pattern) => new RegExp(pattern).test(test)),
  );
}

/** A whole stage starts hundreds of processes, so they run what the programs were built into; a few files do not pay for a build. */
function runsWhole() {
  return named.length === 0;
}

function patternsOf(form, wanted) {
  if (form === undefined) return wanted;
  if (wanted.length === 0) return Object.keys(WITH_EVERY_CHANGE[form]);
  return wanted[0] === 'all' ? EVERY_NIGHT : wanted;
}

/**
 * Nothing may run once the results are written. A test that left something running must not delay the run: end the run,
 * and let it fail.
 */
function endWhenDone(child, resultFile) {
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
function count(resultFile, exitCode) {
  try {
    const results = JSON.parse(readFileSync(resultFile, 'utf8'));
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const failures = failedTests({ results });
    if (failed === 0 && exitCode !== 0) failures.push(`FAILED: all tests passed, but Jest ended with ${exitCode}`);
    return { passed: results.numPassedTests, failed: Math.max(failed, exitCode === 0 ? 0 : 1), failures, results };
  } catch {
    return { passed: 0, failed: 1, failures: ['FAILED: Jest wrote no results'], results: null };
  }
}
