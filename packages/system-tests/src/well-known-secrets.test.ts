import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { knownSecretFault } from '@flotilla/runtime/known-secrets.ts';
import { programEntry } from '@flotilla/runtime/program-entry.ts';
import { describe, expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const ZEROS = Buffer.alloc(32).toString('base64');
const KNOWN = {
  DATABASE_URL: 'postgres://flotilla:sandbox@127.0.0.1:1/flotilla',
  REDIS_URL: 'redis://:sandbox@127.0.0.1:1',
  ENCRYPTION_KEY: ZEROS,
  ADMIN_PASSWORD: 'sandbox-password',
  ADMIN_API_KEY: 'flt_sandbox-only-not-a-secret',
};
const COMMANDS = {
  DATABASE_URL: 'openssl rand -hex 24',
  REDIS_URL: 'openssl rand -hex 24',
  ENCRYPTION_KEY: 'openssl rand -base64 32',
  ADMIN_PASSWORD: 'openssl rand -hex 16',
  ADMIN_API_KEY: 'openssl rand -hex 24',
};
type Name = keyof typeof KNOWN;

test.each<[string, string[], Name[]]>([
  ['api', [programEntry('api')], ['DATABASE_URL', 'REDIS_URL', 'ENCRYPTION_KEY', 'ADMIN_PASSWORD', 'ADMIN_API_KEY']],
  ['worker', [programEntry('worker')], ['DATABASE_URL', 'REDIS_URL', 'ENCRYPTION_KEY']],
  ['migration', [programEntry('migrate')], ['DATABASE_URL']],
  ['backup', [programEntry('maintenance'), 'backup', '/nowhere/backup'], ['DATABASE_URL']],
  ['restore', [programEntry('maintenance'), 'restore', '/nowhere/backup'], ['DATABASE_URL']],
  ['key rotation', [programEntry('maintenance'), 'rotate-keys'], ['DATABASE_URL', 'REDIS_URL', 'ENCRYPTION_KEY']],
])('the %s refuses to start with secrets that everybody knows, and says how real ones are made', (_, args, names) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    env: { PATH: inheritedEnv().PATH, ...KNOWN },
    encoding: 'utf8',
    timeout: 60_000,
  });
  const output = `${stdout}${stderr}`;
  expect({ status, output }).toMatchObject({ status: 1 });
  for (const name of names) expect(output).toMatch(new RegExp(`^ +${name}: .*${COMMANDS[name]}`, 'm'));
  for (const value of [ZEROS, ':sandbox', 'sandbox-password', 'flt_sandbox']) expect(output).not.toContain(value);
});

describe('infra/docker/check-settings.sh', () => {
  const real = {
    POSTGRES_PASSWORD: randomBytes(24).toString('hex'),
    REDIS_PASSWORD: randomBytes(24).toString('hex'),
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ADMIN_PASSWORD: randomBytes(16).toString('hex'),
    ADMIN_API_KEY: `flt_${randomBytes(24).toString('hex')}`,
    TELEGRAM_API_URL: 'https://api.telegram.org',
    LISTEN: '0.0.0.0:8080',
  };
  const sandbox = variablesOf('infra/docker/sandbox.env');

  test("lets settings pass that are one's own", () => {
    expect(check(real)).toEqual({ status: 0, output: '' });
  });

  test.each([
    ['POSTGRES_PASSWORD', 'openssl rand -hex 24'],
    ['REDIS_PASSWORD', 'openssl rand -hex 24'],
    ['ENCRYPTION_KEY', 'openssl rand -base64 32'],
    ['ADMIN_PASSWORD', 'openssl rand -hex 16'],
    ['ADMIN_API_KEY', 'openssl rand -hex 24'],
    ['GRAFANA_ADMIN_PASSWORD', 'openssl rand -hex 16'],
  ])(
    'asks for %s, and refuses the one of the sandbox, with the line that puts a real one into .env',
    (name, command) => {
      for (const value of ['', sandbox[name]!]) {
        const { status, output } = check({ ...real, [name]: value }, [name]);
        expect({ status, output }).toEqual({ status: 1, output: expect.stringContaining(`  ${name}: `) });
        const line = /^ +(echo .*) >> \.env$/m.exec(output)?.[1] ?? 'there is no line to run';
        expect(line).toContain(command);
        const [, made] = /^(?:\w+)=(.+)$/m.exec(spawnSync('sh', ['-c', line], { encoding: 'utf8' }).stdout) ?? [];
        expect(check({ ...real, [name]: made ?? '' }, [name])).toEqual({ status: 0, output: '' });
        if (value !== '') expect(output.replace('sandbox.env', '')).not.toContain(value);
      }
    },
  );

  test('takes for a pattern what the processes take for one', () => {
    const bytes = (next: (index: number) => number) => Buffer.from(Array.from({ length: 32 }, (_, i) => next(i) & 255));
    const keys = [
      bytes(() => 0),
      bytes((index) => index),
      bytes((index) => 9 - 5 * index),
      Buffer.from('0123456789abcdef'.repeat(2)),
      bytes((index) => [1, 99, 180, 22, 7, 91, 3, 250, 17][index % 9]!),
      bytes((index) => [0, 255, 17][(index * index) % 3]!),
      ...Array.from({ length: 5 }, () => randomBytes(32)),
      Buffer.from(randomBytes(16).toString('hex')),
    ];
    const verdicts = keys.flatMap((key) => {
      const [plain, url] = [key.toString('base64'), key.toString('base64url')];
      return [plain, url, `a:${plain},b:${ZEROS}`].map((value) => ({
        value,
        byScript: check({ ...real, ENCRYPTION_KEY: value }).status === 1,
        byProcess: knownSecretFault('ENCRYPTION_KEY', value, false) !== null,
      }));
    });
    expect(verdicts.filter(({ byScript, byProcess }) => byScript !== byProcess)).toEqual([]);
    expect(verdicts.filter(({ byScript }) => byScript)).toHaveLength(6 * 3);
  });

  test('knows every secret of the sandbox and of the examples that the processes know', () => {
    const known = /WELL_KNOWN = new Set\(\[(.*?)\]\)/s.exec(read('packages/runtime/src/known-secrets.ts'))?.[1] ?? '';
    const secrets = [...known.matchAll(/'([^']+)'/g)].map(([, secret]) => secret!);
    const written = [...Object.values(sandbox), 'password'].filter((value) => secrets.includes(value));
    expect(new Set(written)).toEqual(new Set(secrets));
    for (const secret of secrets) {
      const name = secret.endsWith('=') ? 'ENCRYPTION_KEY' : 'POSTGRES_PASSWORD';
      expect({ secret, ...check({ ...real, [name]: secret }) }).toMatchObject({ secret, status: 1 });
    }
  });

  test('accepts the sandbox by its marker alone, and nowhere but on this machine', () => {
    const local = { ...sandbox, LISTEN: '127.0.0.1:8080' };
    expect(check(local)).toEqual({ status: 0, output: expect.stringContaining('known to everybody') });
    expect(check({ ...local, ALLOW_SANDBOX_SECRETS: '' }).status).toBe(1);
    for (const LISTEN of ['0.0.0.0:8080', '192.168.1.4:80', '8080', '[::]:8080']) {
      expect(check({ ...sandbox, LISTEN })).toMatchObject({ status: 1, output: expect.stringContaining('LISTEN') });
    }
  });

  test("wants a password for Grafana that is not the admin's, and images of a release pulled", () => {
    const GRAFANA_ADMIN_PASSWORD = real.ADMIN_PASSWORD;
    const same = check({ ...real, GRAFANA_ADMIN_PASSWORD }, ['GRAFANA_ADMIN_PASSWORD']);
    expect(same).toMatchObject({ status: 1, output: expect.stringContaining('must not be ADMIN_PASSWORD') });
    const released = { ...real, FLOTILLA_IMAGE: 'ghcr.io/your-organisation/flotilla' };
    expect(check(released)).toMatchObject({ status: 1, output: expect.stringContaining('FLOTILLA_PULL_POLICY') });
    expect(check({ ...released, FLOTILLA_PULL_POLICY: 'missing' }).status).toBe(0);
  });

  /** Runs check-settings.sh as the service of compose does, by default with the names that the service checks. */
  function check(env: Record<string, string>, names?: string[]): { status: number | null; output: string } {
    const asked = /command: \[(POSTGRES_PASSWORD, .*)\]/.exec(read('docker-compose.yml'))?.[1]?.split(', ') ?? [];
    const { status, stdout, stderr } = spawnSync('sh', ['infra/docker/check-settings.sh', ...(names ?? asked)], {
      cwd: ROOT,
      env: { PATH: inheritedEnv().PATH, ...env },
      encoding: 'utf8',
    });
    return { status, output: `${stdout}${stderr}` };
  }
});

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

function variablesOf(path: string): Record<string, string> {
  const lines = read(path).matchAll(/^([A-Z_]+)=(.*)$/gm);
  return Object.fromEntries([...lines].map(([, name, value]) => [name!, value!]));
}
