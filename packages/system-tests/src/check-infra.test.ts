import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';

const ROOT = resolve(import.meta.dirname, '../../..');
const COPIED = [
  'docker-compose.yml',
  'infra',
  '.github',
  '.env.example',
  '.ci',
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'scripts/programs',
  'deploy',
  'docs/operations',
];
const CHECK_MS = 120_000;

type Checked = { faults: string[]; leftOut: string[] };
const { runCheck }: { runCheck(name: string, root: string): Promise<Checked> } = await import(
  join(ROOT, 'scripts/check-infra/run-check.mjs')
);

let copy: string;
let restore: () => void = () => {};

beforeAll(async () => {
  copy = await throwAwayDir();
  for (const path of COPIED) cpSync(join(ROOT, path), join(copy, path), { recursive: true, verbatimSymlinks: true });
  for (const folder of ['apps', 'packages']) symlinkSync(join(ROOT, folder), join(copy, folder));
  execFileSync('git', ['init', '-q', copy]);
});

afterEach(() => restore());
afterAll(() => rmSync(copy, { recursive: true, force: true }));

test.each([
  ['compose', 'docker-compose.yml', 'healthcheck:', 'heathcheck:', 'heathcheck'],
  ['compose', 'docker-compose.yml', '      postgres: { condition', '      postgress: { condition', 'postgress'],
  ['compose', 'docker-compose.yml', 'POSTGRES_CPUS:-1.0', 'POSTGRES_CPUS:-2.0', 'above that of a host with one'],
  ['compose', 'docker-compose.yml', 'BACKEND_ALLOWED_CIDRS:-}', 'BACKEND_ALLOWED_CIDRS:-10.0.0.0/8}', 'has a default'],
  ['compose', 'docker-compose.yml', 'REDIS_PASSWORD:-}', 'REDIS_PASSWORD:-redis}', 'REDIS_PASSWORD has a default'],
  ['compose', 'docker-compose.yml', '<<: [*worker, *built-by-another]', '<<: [*worker]', 'its pull_policy is'],
  [
    'compose',
    'docker-compose.yml',
    '<<: [*api, *built-by-another]',
    '<<: [*api, *built-here]\n    build: { context: ., dockerfile: infra/docker/Dockerfile, target: api }',
    'is built by 2 services',
  ],
  ['compose', 'docker-compose.yml', 'localhost/flotilla}/api', 'flotilla}/api', 'a registry would be asked for'],
  ['compose', 'docker-compose.yml', ', ADMIN_API_KEY, ', ', ADMIN_KEY, ', 'check-settings asks for ADMIN_KEY'],
  ['compose', 'docs/operations/install.md', 'Compose 2.24 or later', 'Compose 2.20 or later', 'needs 2.24'],
  ['compose', 'infra/docker/sandbox.env', '172.30.86.20/32', '172.30.86.0/24', 'backends may live at'],
  ['compose', 'infra/docker/sandbox.env', 'ALLOW_SANDBOX_SECRETS=1', 'ALLOW_SANDBOX_SECRETS=0', 'does not start'],
  [
    'compose',
    'infra/docker/sandbox.env',
    'ADMIN_PASSWORD=sandbox-password',
    'ADMIN_PASSWORD=another-password',
    'takes its',
  ],
  [
    'compose',
    'infra/docker/sandbox.env',
    'SETTINGS_FILE',
    'LISTEN=0.0.0.0:8080\nSETTINGS_FILE',
    'nginx would listen at',
  ],
  [
    'pins',
    'docker-compose.yml',
    /nginx:[\d.]+-alpine[\d.]+/,
    'nginx:1.28-alpine',
    'nginx:1.28-alpine is no exact version',
  ],
  ['pins', 'docker-compose.yml', /grafana\/grafana:[\d.]+/, 'grafana/grafana:latest', 'no exact version'],
  ['pins', 'infra/docker/Dockerfile', /node:[\d.]+-/, 'node:24-', 'node:24-trixie-slim is no exact version'],
  [
    'pins',
    'infra/helm/examples/redis-cluster/redis.yaml',
    /image: valkey\/valkey:[\d.]+/,
    'image: valkey/valkey:8',
    'valkey/valkey:8 is no exact version',
  ],
  ['pins', '.github/workflows/ci.yml', 'ubuntu-24.04', 'ubuntu-latest', 'ubuntu-latest is no exact version'],
  ['pins', '.github/renovate.json', 'docker:pinDigests', 'docker:disable', 'docker:pinDigests'],
  [
    'shell',
    'infra/helm/examples/redis-cluster/redis.yaml',
    '--cluster-enabled yes',
    '--requirepass "$REDIS_PASSWORD" --cluster-enabled yes',
    'a password is in the arguments of a process',
  ],
  ['deploy', 'deploy/fly.toml', /\/all:[\d.]+/, '/all:0.9.0', 'flotilla/all:0.9.0 is not'],
  ['deploy', 'deploy/flotilla.service', 'KillMode=mixed', 'KillMode=control-group', 'would end the stores before Node'],
  ['dockerfile', 'infra/docker/Dockerfile', 'RUN_AS=65532', 'RUN_AS=', 'all goes on as root'],
  ['compose', 'infra/nginx/nginx.conf', 'server api-2:8080', 'server api-3:8080', 'api-3'],
  ['dockerfile', 'infra/docker/Dockerfile', 'STOPSIGNAL SIGTERM', 'STOPSIGNAL SIGKILL', 'STOPSIGNAL'],
  [
    'dockerfile',
    'infra/docker/Dockerfile',
    '"built/api/launch',
    '"apps/api/src/launch',
    'api does not start its built',
  ],
  [
    'dockerfile',
    'infra/docker/Dockerfile',
    'built/migrate built/migrate',
    'built/migrate built/x',
    'migrate does not copy',
  ],
  ['dockerfile', 'infra/docker/Dockerfile', '--chmod=755 apps/worker', 'apps/worker', 'no --chmod'],
  [
    'dockerfile',
    'infra/docker/Dockerfile',
    'COPY --from=programs /flotilla/built/migrate built/migrate',
    'COPY --from=programs /flotilla/built/migrate built/migrate\nCOPY --from=programs /flotilla ./',
    'migrate holds more than its built folder',
  ],
  ['dockerfile', 'infra/docker/Dockerfile', '--chmod=644 package.json', '--chmod=640 package.json', 'no --chmod'],
  [
    'dockerfile',
    'infra/docker/Dockerfile',
    / packages\/redis\/package.json packages\/redis\//,
    ' packages/redis packages/redis',
    'npm ci runs anew when packages/redis changes',
  ],
  ['dockerfile', 'infra/docker/Dockerfile', 'WORKDIR', 'WORKDIRR', 'WORKDIRR'],
  [
    'workflows',
    '.github/workflows/release.yml',
    'needs: [notes, tests, scan, compose]',
    'needs: [notes, scan, compose]',
    'the tests have not seen',
  ],
  [
    'workflows',
    '.github/workflows/release.yml',
    'needs: [notes, tests, scan, compose]',
    'needs: [notes, tests, compose]',
    'the scan has not seen',
  ],
  ['workflows', '.github/workflows/release.yml', '- infra/nginx/**', '- infra/helm/**', 'when infra/nginx/** changes'],
  [
    'workflows',
    '.github/workflows/release.yml',
    'docker/setup-buildx-action@',
    'docker/setup-qemu-action@',
    'emulation',
  ],
  ['workflows', '.github/workflows/ci.yml', 'timeout-minutes', 'timeout', 'timeout'],
  ['workflows', '.github/workflows/ci.yml', /checkout@\w+ # v[\d.]+/, 'checkout@v6.1.0', 'names no commit'],
  [
    'watch',
    'infra/prometheus/alerts/api.yml',
    'runbooks/FlotillaRestErrors',
    'FlotillaRestErrors',
    'its runbook_url is not',
  ],
  [
    'watch',
    'infra/prometheus/alerts/api.yml',
    'FlotillaRestSlow',
    'FlotillaRestLate',
    'has no runbook docs/operations',
  ],
  ['watch', 'infra/prometheus/alerts/api.yml', 'FlotillaRestSlow', 'FlotillaRestLate', 'FlotillaRestSlow.md: no alert'],
  [
    'watch',
    'infra/prometheus/alerts/api.yml',
    'sum by (installation) (rate',
    'sum(rate',
    'one installation hides another',
  ],
  [
    'watch',
    'infra/prometheus/alert-tests/api.yml',
    /installation="two"/g,
    'installation="one"',
    'alert FlotillaRestErrors: has no test that it begins and ends with a fault',
  ],
  [
    'watch',
    'infra/prometheus/alertmanager.example.yml',
    'FlotillaRedisDown',
    'FlotillaRedisGone',
    'no alert FlotillaRedisGone',
  ],
  [
    'watch',
    'infra/grafana/dashboards/fleet.json',
    'flotilla_bots{installation=\\"$installation\\"}',
    'flotilla_bots',
    'flotilla_bots is not of the chosen installation',
  ],
  ['watch', 'docs/operations/runbooks/FlotillaBacklog.md', '**Over when.**', '**Then.**', 'lacks "Over when."'],
  [
    'watch',
    'docs/operations/runbooks/FlotillaProcessMemory.md',
    '`flotilla_live_streams`',
    'streams',
    'no panel, alert or page has a use for flotilla_live_streams',
  ],
  ['watch', 'docs/operations/runbooks/FlotillaBacklog.md', 'That bot', '`flotilla_those`', 'no metric flotilla_those'],
  [
    'kubernetes',
    'infra/helm/flotilla/templates/deployments.yaml',
    'failureThreshold: 150',
    'failureThreshold: 100',
    'minimal.yaml is stale',
  ],
])(
  '%s: a fault in %s is found (%s → %s)',
  async (check, file, right, wrong, told) => {
    restore = change(file, right, wrong);
    const { faults } = await runCheck(check, copy);
    expect(faults.join('\n')).toContain(told);
  },
  CHECK_MS,
);

test(
  'nginx: a fault is found where nginx can be had',
  async () => {
    restore = change('infra/nginx/locations.conf', 'proxy_buffering off', 'proxy_bufering off');
    const { faults, leftOut } = await runCheck('nginx', copy);
    if (leftOut.join('\n').includes('could not be installed')) return;
    expect(faults.join('\n')).toContain('proxy_bufering');
  },
  CHECK_MS,
);

type Fault = readonly [file: string, right: string, wrong: string, told: string | RegExp];

/**
 * A run of these checks takes seconds, and finds many faults: each must be told in words of its own. Where one hides another (the checker
 * looks at how many bots a scaler gives a pod once it divides them at all), the two are in different runs.
 */
const TOGETHER: { check: string; what: string; faults: Fault[] }[] = [
  {
    check: 'kubernetes',
    what: 'values',
    faults: [
      ['infra/helm/flotilla/values.yaml', 'LOG_LEVEL:', 'LOGLEVEL:', "invalid propertyName 'LOGLEVEL'"],
      ['infra/helm/flotilla/values.yaml', 'replicas: 2', 'replica: 2', "additional properties 'replica' not allowed"],
    ],
  },
  {
    check: 'kubernetes',
    what: 'objects',
    faults: [
      [
        'infra/helm/flotilla/templates/_pod.tpl',
        'capabilities: { drop: [ALL] }',
        'capabilities: {}',
        'its container keeps capabilities',
      ],
      [
        'infra/helm/flotilla/templates/requests.yaml',
        '    - matches:',
        '    - filters: [{ type: RequestMirror, requestMirror: { backendRef: { name: other, port: 80 } } }]\n      matches:',
        'it may send a request twice',
      ],
      ['docs/operations/upgrade.md', '`maxUnavailable: 0`', '`maxUnavailable: 1`', 'its maxUnavailable is 0'],
      [
        'infra/helm/flotilla/templates/deployments.yaml',
        'httpGet: { path: /livez',
        'httpGet: { path: /readyz',
        'would be killed at its start',
      ],
      ['infra/helm/flotilla/templates/scaling.yaml', 'metricType: AverageValue', 'metricType: Value', 'not divided'],
      [
        'infra/helm/flotilla/templates/_names.tpl',
        '(gt (len $name) 40)',
        '(gt (len $name) 63)',
        'its name is too long',
      ],
      [
        'infra/helm/flotilla/templates/_names.tpl',
        'app.kubernetes.io/instance: {{ $root.Release.Name }}\n',
        '',
        'selects pods of both',
      ],
      [
        'infra/helm/flotilla/templates/monitoring.yaml',
        '"files/alerts/*.yml"',
        '"files/alerts/[a-d]*.yml"',
        'its rules are not those of',
      ],
      [
        'infra/helm/examples/production.yaml',
        'labels: { release: kube-prometheus-stack }',
        'labels: {}',
        'a label release',
      ],
      ['infra/helm/flotilla/Chart.yaml', 'appVersion: 1.0.0', 'appVersion: 0.9.0', 'the release is 1.0.0'],
    ],
  },
  {
    check: 'kubernetes',
    what: 'objects, those that others would hide',
    faults: [
      ['infra/helm/flotilla/templates/requests.yaml', 'targetPort: http', 'targetPort: web', 'no pod has a port web'],
      [
        'infra/helm/flotilla/templates/requests.yaml',
        '      timeouts: {{ toJson .Values.gateway.timeouts }}\n',
        '',
        "the Gateway's own timeout",
      ],
      [
        'infra/helm/flotilla/templates/deployments.yaml',
        'minReadySeconds: 5',
        'minReadySeconds: 3',
        'its minReadySeconds',
      ],
      [
        'infra/helm/flotilla/templates/scaling.yaml',
        'namespace=%q,installation=%q" .Release.Namespace',
        'namespace=%q,installation=%q" "flotilla"',
        'another installation may answer',
      ],
      [
        'infra/helm/flotilla/templates/scaling.yaml',
        '$component.botsPerPod) | nindent',
        '1000) | nindent',
        'a pod for 1000 bots',
      ],
      [
        'infra/helm/flotilla/templates/_names.tpl',
        '(.Release.Name | sha256sum | trunc 8)',
        '"flotilla"',
        'share Deployment',
      ],
      [
        'infra/helm/flotilla/templates/_environment.tpl',
        '(hasPrefix "ADMIN_" $name)',
        'false',
        'only the api needs ADMIN_USERNAME',
      ],
      ['infra/helm/flotilla/values.yaml', 'maxReplicas: 20', 'maxReplicas: 40', 'pods may open 456'],
      [
        'infra/helm/examples/redis-cluster/redis.yaml',
        'automountServiceAccountToken: false',
        'automountServiceAccountToken: true',
        'a service account token',
      ],
    ],
  },
  {
    check: 'kubernetes',
    what: 'types, which are looked at once all else is right',
    faults: [
      [
        'infra/helm/flotilla/templates/_pod.tpl',
        'enableServiceLinks',
        'enableServiceLink',
        '"enableServiceLink"\' does not exist in type',
      ],
      [
        'infra/helm/flotilla/templates/scaling.yaml',
        'maxReplicaCount: {{',
        'maxReplicas: {{',
        '"maxReplicas"\' does not exist in type',
      ],
      [
        'infra/helm/examples/cloudnative-pg-and-sentinel/postgres.yaml',
        'instances: 3',
        'instance: 3',
        'must have required property instances',
      ],
    ],
  },
  {
    check: 'shell',
    what: 'scripts',
    faults: [
      ['infra/docker/check-settings.sh', '[ -n "$faults" ] ||', '[ -n $faults ] ||', /check-settings\.sh:.*SC2086/],
      ['.github/workflows/ci.yml', 'run: .ci/run', 'run: rm -r $FOLDER', /ci\.yml, step .*SC2086/],
      ['infra/helm/examples/redis-cluster/redis.yaml', 'set -eu', 'rm -r $FOLDER', /redis\.yaml, .*SC2086/],
    ],
  },
];

describe.each(TOGETHER)('$check: one run finds the faults of $what', ({ check, faults }) => {
  let lines: string[];
  let leftOut: string[];
  beforeAll(async () => {
    const undo = faults.map(([file, right, wrong]) => change(file, right, wrong));
    const found = await runCheck(check, copy);
    for (const one of undo.reverse()) one();
    // Helm tells of several faults at once.
    lines = found.faults.flatMap((fault) => fault.split('\n'));
    leftOut = found.leftOut;
  }, CHECK_MS);

  const known = TOGETHER.filter((one) => one.check === check).flatMap((one) => one.faults.map(([, , , told]) => told));

  test.each(faults)('in %s (%s → %s)', (_file, _right, _wrong, told) => {
    if (leftOut.join('\n').includes('could not be installed')) return;
    const own = lines.filter((line) => says(line, told));
    // None of them tells of another fault.
    expect(known.filter((words) => own.some((line) => says(line, words)))).toEqual([told]);
  });

  const others = known.filter((told) => !faults.some((fault) => fault[3] === told));
  if (others.length === 0) return;
  test('and none that is made in another run', () => {
    expect(others.filter((told) => lines.some((line) => says(line, told)))).toEqual([]);
  });
});

test('the command prints the faults of each check, and fails when there is one', () => {
  const command = () => {
    const args = ['scripts/check-infra/main.mjs', '--root', copy, 'pins', 'dockerfile'];
    const { status, stdout } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
    return { status, lines: stdout.trim().split('\n') };
  };
  const passed = [expect.stringMatching(/^✓ pins /), expect.stringMatching(/^✓ dockerfile /)];
  expect(command()).toEqual({ status: 0, lines: passed });
  restore = change('infra/docker/Dockerfile', 'STOPSIGNAL SIGTERM', 'STOPSIGNAL SIGKILL');
  const fault = expect.stringMatching(/^ {4}.*STOPSIGNAL/);
  expect(command()).toEqual({ status: 1, lines: [passed[0], expect.stringMatching(/^✗ dockerfile /), fault] });
});

/** Changes a file of the copy, and returns what undoes that. */
function change(file: string, right: string | RegExp, wrong: string): () => void {
  const path = join(copy, file);
  const before = readFileSync(path, 'utf8');
  const after = before.replace(right, wrong);
  expect(after).not.toBe(before);
  writeFileSync(path, after);
  return () => writeFileSync(path, before);
}

const says = (line: string, words: string | RegExp) =>
  typeof words === 'string' ? line.includes(words) : words.test(line);
