import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

const ROOT = resolve(import.meta.dirname, '../../..');
const COPIED = ['docker-compose.yml', 'infra', '.github', '.env.example', '.ci', 'package.json', 'docs/OPERATIONS.md'];
const CHECK_MS = 120_000;

let copy: string;

beforeEach(async () => {
  copy = await throwAwayDir();
  for (const path of COPIED) cpSync(join(ROOT, path), join(copy, path), { recursive: true });
  for (const folder of ['apps', 'packages']) symlinkSync(join(ROOT, folder), join(copy, folder));
  execFileSync('git', ['init', '-q', copy]);
});

afterEach(() => rmSync(copy, { recursive: true, force: true }));

test.each([
  ['compose', 'docker-compose.yml', 'healthcheck:', 'heathcheck:', 'heathcheck'],
  ['compose', 'docker-compose.yml', '      postgres: { condition', '      postgress: { condition', 'postgress'],
  ['compose', 'infra/nginx/nginx.conf', 'server api-2:8080', 'server api-3:8080', 'api-3'],
  [
    'kubernetes',
    'infra/kubernetes/base/api.yaml',
    'readOnlyRootFilesystem',
    'readOnlyRootFileSystem',
    'does not exist in type',
  ],
  ['kubernetes', 'infra/kubernetes/base/api.yaml', 'targetPort: http', 'targetPort: web', 'no pod has a port web'],
  ['kubernetes', 'infra/kubernetes/installation/scaling.yaml', 'maxReplicaCount: 20', 'maxReplicas: 20', 'maxReplicas'],
  [
    'kubernetes',
    'infra/kubernetes/installation/kustomization.yaml',
    'LOG_LEVEL=',
    'LOGLEVEL=',
    'LOGLEVEL is no setting',
  ],
  ['dockerfile', 'infra/docker/Dockerfile', 'STOPSIGNAL SIGTERM', 'STOPSIGNAL SIGKILL', 'STOPSIGNAL'],
  ['dockerfile', 'infra/docker/Dockerfile', 'WORKDIR', 'WORKDIRR', 'WORKDIRR'],
  ['workflows', '.github/workflows/ci.yml', 'timeout-minutes', 'timeout', 'timeout'],
  ['workflows', '.github/workflows/ci.yml', /checkout@v[\d.]+/, 'checkout@v4', 'not an exact version'],
])(
  '%s: a fault in %s is found (%s → %s)',
  (check, file, right, wrong, told) => {
    expect(changed(file, right, wrong)).toBe(true);
    const { status, stdout } = runCheck(check);
    expect({ status, stdout }).toEqual({ status: 1, stdout: expect.stringContaining(told) });
  },
  CHECK_MS,
);

test.each([
  ['nginx', 'infra/nginx/locations.conf', 'proxy_buffering off', 'proxy_bufering off', 'proxy_bufering'],
  ['shell', 'infra/docker/check-settings.sh', '[ -n "$missing" ] ||', '[ -n $missing ] ||', 'SC2086'],
  ['shell', '.github/workflows/ci.yml', 'run: .ci/run', 'run: rm -r $FOLDER', 'SC2086'],
])(
  '%s: a fault in %s is found where its tool can be had (%s → %s)',
  (check, file, right, wrong, told) => {
    expect(changed(file, right, wrong)).toBe(true);
    const { status, stdout } = runCheck(check);
    if (stdout.includes('could not be installed')) return;
    expect({ status, stdout }).toEqual({ status: 1, stdout: expect.stringContaining(told) });
  },
  CHECK_MS,
);

function changed(file: string, right: string | RegExp, wrong: string): boolean {
  const path = join(copy, file);
  const before = readFileSync(path, 'utf8');
  const after = before.replace(right, wrong);
  writeFileSync(path, after);
  return after !== before;
}

function runCheck(check: string): { status: number | null; stdout: string } {
  const command = ['scripts/check-infra/main.mjs', '--root', copy, check];
  return spawnSync(process.execPath, command, { cwd: ROOT, encoding: 'utf8' });
}
