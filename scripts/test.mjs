import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap, runOnPinnedNode } from './bootstrap.mjs';

// node scripts/test.mjs [faults | sentinel | cluster] [file patterns …]: the last line is always `N passed, N failed`.

const FAULT_TESTS = '\\.fault\\.test\\.ts$';
const LEFT_RUNNING_MS = 20_000;

/** Run again over a Redis of another form: what keeps anything in Redis, seen through its own doors. */
const OVER_A_FORM = [
  'packages/system-tests/src/',
  'apps/worker/src/worker\\.test',
  'apps/api/src/(auth|queue-board|probes)/',
  'apps/api/src/bot-api-proxy/(capture|intercepts)\\.test',
  'apps/api/src/(outages|drain)\\.test',
  'apps/api/src/endpoints/(every-operation|updates/)',
];
/** Of those, what the form cannot matter to. Fault tests take too long: TEST_REDIS=cluster npm run test:faults. */
const SAME_OVER_EVERY_FORM = [
  // No Redis at all, or none that anything is kept in.
  'check-infra',
  'env-example',
  'generated-client',
  'images',
  'npm-commands',
  'proxied-pages',
  'shipped-nginx',
  'echo-bots',
  'watch',
  'database-connections',
  'polling-pace',
  'tracing',
  // They start a Redis of their own: one that they restart, one with rights, one of each form.
  'metrics',
  'replicas',
  'lost-ids',
  'system-tests/src/tls/',
  'auth-over-cluster',
  // Measures rather than checks.
  'key-timing',
];

const selection = ['faults', 'sentinel', 'cluster'].find((name) => name === process.argv[2]);
const named = process.argv.slice(selection ? 3 : 2).filter((argument) => argument !== '--');
const faults = selection === 'faults';
const redisForm = faults ? undefined : selection;
const patterns = redisForm && named.length === 0 ? OVER_A_FORM : named;
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
  const nodeFlags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const jest = [...nodeFlags, 'node_modules/jest/bin/jest.js', ...patterns, '--json', `--outputFile=${resultFile}`];
  // Patterns come first: behind an option that takes a list they would belong to it.
  if (faults) return [...jest, '--runInBand', '--testMatch=**/*.fault.test.ts', ...noneIsFine()];
  // Six servers start where otherwise one does.
  if (redisForm) jest.push('--testTimeout=90000');
  const namesFaultTest = patterns.some((pattern) => pattern.includes('.fault.'));
  const leftOut = [namesFaultTest ? [] : FAULT_TESTS, patterns === OVER_A_FORM ? SAME_OVER_EVERY_FORM : []].flat();
  return [...jest, ...leftOut.map((pattern) => `--testPathIgnorePatterns=${pattern}`)];
}

function noneIsFine() {
  return patterns.length === 0 ? ['--passWithNoTests'] : [];
}

/** Once the results are written nothing may be running any more; what is then keeps nobody waiting, but fails the run. */
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

/** A file that could not be run at all, and a run that ended without results, count as one failed test each. */
function count(exitCode) {
  try {
    const results = JSON.parse(readFileSync(resultFile, 'utf8'));
    const failedTests = results.numFailedTests + results.numRuntimeErrorTestSuites;
    return { passed: results.numPassedTests, failed: Math.max(failedTests, exitCode === 0 ? 0 : 1) };
  } catch {
    return { passed: 0, failed: 1 };
  }
}
