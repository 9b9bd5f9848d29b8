import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const ROOT = resolve(import.meta.dirname, '../../..');
const CHECK_MS = 60_000;
const FAULTS = [
  ['docs/operations/settings.md', '| `PORT` | `8080` |', '| `PORT` | `8081` |', 'settings.md is stale'],
  [
    'docs/operations/metrics.md',
    '`flotilla_waiting_polls` | gauge',
    '`flotilla_waiting_polls` | counter',
    'metrics.md is',
  ],
  ['infra/prometheus/alerts/api.yml', 'Many sign-ins fail', 'Sign-ins fail', 'monitoring.md is stale'],
  ['infra/helm/flotilla/values.yaml', 'The class of the controller', 'The controller', 'helm-values.md is stale'],
  ['README.md', '(docs/GLOSSARY.md)', '(docs/WORDS.md)', 'the link docs/WORDS.md leads nowhere'],
  ['docs/RECEIVING.md', '#what-bots-send', '#what-people-send', 'redis.md has no heading #what-people-send'],
  ['CONTRIBUTING.md', '`apps/simulator`', '`apps/simulators`', 'there is no apps/simulators'],
  ['docs/ARCHITECTURE.md', '`accept-updates.lua`', '`take-updates.lua`', 'there is no take-updates.lua'],
  [
    'docker-compose.yml',
    'docs/operations/install.md',
    'docs/INSTALL.md',
    'docker-compose.yml: there is no docs/INSTALL.md',
  ],
] as const;

let copy: string;
/** What the check says of the copy before and after all faults are in it: a run of the check takes long. */
let unchanged: Checked;
let changed: Checked;

beforeAll(async () => {
  copy = await throwAwayDir();
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  const files = execFileSync('git', list, { cwd: ROOT, encoding: 'utf8' }).split('\0');
  for (const path of files.filter((name) => name !== '')) {
    cpSync(join(ROOT, path), join(copy, path), { recursive: true, verbatimSymlinks: true });
  }
  execFileSync('git', ['init', '-q', copy]);
  unchanged = runCheck();
  for (const [file, right, wrong] of FAULTS) {
    const before = readFileSync(join(copy, file), 'utf8');
    const after = before.replaceAll(right, wrong);
    expect(after).not.toBe(before);
    writeFileSync(join(copy, file), after);
  }
  changed = runCheck();
}, CHECK_MS);

afterAll(() => rmSync(copy, { recursive: true, force: true }));

test.each(FAULTS)('a fault in %s is found (%s → %s)', (_file, _right, _wrong, told) => {
  expect(changed).toEqual({ status: 1, stdout: expect.stringContaining(told) });
});

test('the documents as they are have no fault', () => {
  expect(unchanged).toEqual({ status: 0, stdout: '' });
});

type Checked = { status: number | null; stdout: string };

function runCheck(): Checked {
  const command = ['scripts/docs/main.mjs', '--root', copy, '--check'];
  const { status, stdout } = spawnSync(process.execPath, command, { cwd: ROOT, encoding: 'utf8' });
  return { status, stdout };
}
