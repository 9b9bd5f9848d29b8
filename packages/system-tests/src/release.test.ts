import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

const ROOT = resolve(import.meta.dirname, '../../..');
/** Where versions stand. */
const COPIED = [
  'package.json',
  '*/*/package.json',
  'package-lock.json',
  'CHANGELOG.md',
  'SECURITY.md',
  'docs',
  'infra',
];
const CHANGELOG = `# Changelog

## [Unreleased]

### Added

- Something new.

## [1.0.0] - 2026-11-27

- The first one.
`;

let checkout: string;

beforeEach(async () => {
  checkout = await throwAwayDir();
  const listed = execFileSync('git', ['-C', ROOT, 'ls-files', '-z', '--', ...COPIED], { encoding: 'utf8' });
  for (const file of listed.split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(checkout, file)), { recursive: true });
    cpSync(join(ROOT, file), join(checkout, file), { recursive: true, verbatimSymlinks: true });
  }
  write('CHANGELOG.md', CHANGELOG);
  write('infra/helm/flotilla/Chart.yaml', 'apiVersion: v2\nname: flotilla\nversion: 1.0.0\nappVersion: "1.0.0"\n');
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'Somebody');
  git('config', 'user.email', 'somebody@example.com');
  commit();
});
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

function git(...args: string[]): string {
  return execFileSync('git', ['-C', checkout, ...args], { encoding: 'utf8' }).trim();
}

function commit(): void {
  git('add', '--all');
  git('commit', '--quiet', '--message', 'A change');
}

const read = (file: string) => readFileSync(join(checkout, file), 'utf8');
const write = (file: string, text: string) => {
  mkdirSync(dirname(join(checkout, file)), { recursive: true });
  writeFileSync(join(checkout, file), text);
};

function release(...args: string[]) {
  const command = [join(ROOT, 'scripts/release/main.mjs'), ...args, '--root', checkout];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
}

test('a release sets the version everywhere, dates its entry, and is a commit and a tag', () => {
  git('tag', 'v1.0.0');
  expect(release('1.1.0')).toEqual({ status: 0, output: expect.stringContaining('git push origin main v1.1.0') });

  const manifests = git('ls-files', '*package.json').split('\n');
  expect(manifests.length).toBeGreaterThan(15);
  for (const file of manifests)
    expect({ file, version: JSON.parse(read(file)).version }).toEqual({ file, version: '1.1.0' });
  const { version, packages } = JSON.parse(read('package-lock.json'));
  const own = Object.entries<{ version: string }>(packages).filter(([path]) => !path.includes('node_modules'));
  expect(own).toHaveLength(manifests.length);
  expect(new Set([version, ...own.map(([, entry]) => entry.version)])).toEqual(new Set(['1.1.0']));
  expect(JSON.parse(read('docs/openapi.json')).info.version).toBe('1.1.0');
  expect(read('infra/helm/flotilla/Chart.yaml')).toMatch(/^version: 1\.1\.0\nappVersion: "1\.1\.0"$/m);
  expect(read('infra/docker/compose.env.example')).toContain('FLOTILLA_VERSION=1.1.0\n');
  const guides = git('ls-files', 'docs/operations', 'infra')
    .split('\n')
    .filter((file) => lstatSync(join(checkout, file)).isFile());
  expect(guides.filter((file) => /(flotilla\/|:|newTag: |ref=v)1\.0\.0/.test(read(file)))).toEqual([]);

  const today = new Date().toISOString().slice(0, 10);
  expect(read('CHANGELOG.md')).toContain(`## [Unreleased]\n\n## [1.1.0] - ${today}\n\n### Added\n\n- Something new.\n`);
  expect(git('status', '--porcelain')).toBe('');
  expect(git('log', '-1', '--format=%s')).toBe('Release 1.1.0');
  expect(git('describe', '--exact-match')).toBe('v1.1.0');
});

test('a rehearsal says what a release would change, and changes nothing', () => {
  const before = git('rev-parse', 'HEAD');
  const { status, output } = release('1.1.0-rc.1', '--dry-run');
  expect(status).toBe(0);
  for (const file of ['CHANGELOG.md', 'apps/api/package.json', 'infra/helm/flotilla/Chart.yaml'])
    expect(output).toContain(file);
  expect([git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('tag')]).toEqual([before, '', '']);
});

test('the first release keeps the version that stands everywhere', () => {
  expect(release('1.0.0').status).toBe(0);
  expect(git('diff', '--name-only', 'HEAD~1', 'v1.0.0')).toBe('CHANGELOG.md');
});

test.each<[string, string, () => void]>([
  ['1.0', '1.0 is no version', () => {}],
  ['1.0.0', 'There is a tag v1.0.0', () => git('tag', 'v1.0.0')],
  ['1.9.0', '1.9.0 is not above 1.10.0-rc.2', () => git('tag', 'v1.10.0-rc.2')],
  ['1.10.0-rc.2', '1.10.0-rc.2 is not above 1.10.0', () => git('tag', 'v1.10.0')],
  ['1.1.0', 'changes that are not committed', () => write('package.json', `${read('package.json')}\n`)],
  ['1.1.0', 'not the branch main', () => git('switch', '--quiet', '--create', 'other')],
  ['1.1.0', 'says nothing below ## [Unreleased]', () => emptied()],
  ['1.1.0', 'docs/operations/backup.md names no version', () => renamed()],
])('the release %s is refused when %s', (version, reason, prepare) => {
  prepare();
  const before = [git('rev-parse', 'HEAD'), git('tag'), git('status', '--porcelain')];
  expect(release(version)).toEqual({ status: 1, output: expect.stringContaining(reason) });
  expect([git('rev-parse', 'HEAD'), git('tag'), git('status', '--porcelain')]).toEqual(before);
});

function emptied(): void {
  write('CHANGELOG.md', CHANGELOG.replace(/### Added\n\n.*\n\n/, ''));
  commit();
}

function renamed(): void {
  write('docs/operations/backup.md', read('docs/operations/backup.md').replace('/maintenance:', '/upkeep:'));
  commit();
}
