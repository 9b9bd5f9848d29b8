import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap, fail, ROOT } from './bootstrap.mjs';

// node scripts/previous-release.mjs [tag]: runs the tests of an earlier release (by default the newest tag v* before
// this commit) on a schema that this checkout has migrated. It shows that either release can run on that schema, during
// an upgrade and after a rollback.

/** Tests that use the database as the service does. Those of the schema, of backups and of the sandbox make a schema themselves. */
const TESTS = [
  'apps/(api|worker)/',
  'packages/domain/',
  'packages/system-tests/src/(deliveries|reply-calls|platform-webhook|routing)',
];

const tag = process.argv[2] ?? newestTag();
if (tag === null) {
  process.stdout.write('There is no release before this commit: nothing to run on its schema.\n');
  process.exit(0);
}
if (!isCommit(tag)) fail(`There is no release ${tag} in this repository.`);
await bootstrap();
// Ctrl-C reaches the tests too; we continue after them and clean up as usual.
process.on('SIGINT', () => {});
const folder = mkdtempSync(join(tmpdir(), 'flotilla-previous-'));
const checkout = join(folder, 'release');
let passed = false;
git('worktree', 'add', '--detach', checkout, tag);
try {
  process.stdout.write(`running the tests of ${tag} on the schema of this checkout\n`);
  passed =
    run('npm', ['ci', '--no-audit', '--no-fund']) && run('npm', ['test', '--', ...TESTS], { MIGRATE_WITH: ROOT });
} finally {
  git('worktree', 'remove', '--force', checkout);
  rmSync(folder, { recursive: true, force: true });
}
if (!passed) fail(`${tag} does not run on the schema of this checkout.`);

function newestTag() {
  try {
    return git('describe', '--tags', '--abbrev=0', '--match', 'v*', 'HEAD~1').trim();
  } catch {
    return null;
  }
}

function isCommit(name) {
  try {
    git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);
    return true;
  } catch {
    return false;
  }
}

function git(...args) {
  return execFileSync('git', ['-C', ROOT, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function run(command, args, env = {}) {
  return spawnSync(command, args, { cwd: checkout, stdio: 'inherit', env: { ...process.env, ...env } }).status === 0;
}
