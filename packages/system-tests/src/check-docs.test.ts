import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const ROOT = resolve(import.meta.dirname, '../../..');
const CHECK_MS = 60_000;

let copy: string;

beforeAll(async () => {
  copy = await throwAwayDir();
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  const files = execFileSync('git', list, { cwd: ROOT, encoding: 'utf8' }).split('\0');
  for (const path of files.filter((name) => name !== '')) cpSync(join(ROOT, path), join(copy, path));
  execFileSync('git', ['init', '-q', copy]);
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

test.each([
  ['docs/operations/settings.md', '| `PORT` | `8080` |', '| `PORT` | `8081` |', 'settings.md is stale'],
  [
    'docs/operations/metrics.md',
    '`flotilla_waiting_polls` | gauge',
    '`flotilla_waiting_polls` | counter',
    'metrics.md is',
  ],
  ['infra/prometheus/alerts/api.yml', 'Many sign-ins fail', 'Sign-ins fail', 'monitoring.md is stale'],
  ['README.md', '(docs/GLOSSARY.md)', '(docs/WORDS.md)', 'the link docs/WORDS.md leads nowhere'],
  ['README.md', '#what-bots-send', '#what-people-send', 'redis.md has no heading #what-people-send'],
  ['README.md', '`apps/simulator`', '`apps/simulators`', 'there is no apps/simulators'],
  ['docs/ARCHITECTURE.md', '`accept-updates.lua`', '`take-updates.lua`', 'there is no take-updates.lua'],
  [
    'docker-compose.yml',
    'docs/operations/install.md',
    'docs/INSTALL.md',
    'docker-compose.yml: there is no docs/INSTALL.md',
  ],
])(
  'a fault in %s is found (%s → %s)',
  (file, right, wrong, told) => {
    const before = readFileSync(join(copy, file), 'utf8');
    const after = before.replaceAll(right, wrong);
    expect(after).not.toBe(before);
    writeFileSync(join(copy, file), after);
    const { status, stdout } = runCheck();
    writeFileSync(join(copy, file), before);
    expect({ status, stdout }).toEqual({ status: 1, stdout: expect.stringContaining(told) });
  },
  CHECK_MS,
);

test(
  'the documents as they are have no fault',
  () => {
    expect(runCheck()).toMatchObject({ status: 0, stdout: '' });
  },
  CHECK_MS,
);

function runCheck(): { status: number | null; stdout: string } {
  const command = ['scripts/docs/main.mjs', '--root', copy, '--check'];
  return spawnSync(process.execPath, command, { cwd: ROOT, encoding: 'utf8' });
}
