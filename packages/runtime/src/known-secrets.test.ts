import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { readSettings, SettingsError } from './env.ts';
import { commonSettings } from './settings.ts';

const real = {
  DATABASE_URL: `postgres://flotilla:${randomBytes(24).toString('hex')}@db/flotilla`,
  REDIS_URL: `redis://:${randomBytes(24).toString('hex')}@cache:6379`,
  ENCRYPTION_KEY: randomBytes(32).toString('base64'),
};
const schema = z.object({
  ...commonSettings,
  ADMIN_PASSWORD: z.string().optional(),
  ADMIN_API_KEY: z.string().optional(),
});
const SANDBOX_KEY = 'c2FuZGJveC1vbmx5LW5vdC1hLXNlY3JldC0zMi1ieXQ=';

function fault(settings: Record<string, string>): string {
  try {
    readSettings(schema, { ...real, ...settings });
    return 'accepted';
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    return (error as Error).message;
  }
}

const key = (bytes: Iterable<number>) => Buffer.from([...bytes]).toString('base64');
const counted = (next: (index: number) => number) => key(Array.from({ length: 32 }, (_, index) => next(index) & 255));

describe('ENCRYPTION_KEY', () => {
  test.each([
    ['all zeros', counted(() => 0)],
    ['one byte again and again', counted(() => 7)],
    ['counted up', counted((index) => index)],
    ['counted down in steps', counted((index) => 200 - 3 * index)],
    ['a short text again and again', Buffer.from('0123456789abcdef'.repeat(2)).toString('base64')],
    ['a period that does not divide it', counted((index) => [1, 99, 180, 22, 7, 91, 3, 250, 17][index % 9]!)],
    ['few different bytes', counted((index) => [0, 255, 17][(index * index) % 3]!)],
    ['zeros behind an id', `2026:${counted(() => 0)}`],
    ['zeros in base64url', counted(() => 0).replace('=', '')],
  ])('that is a pattern (%s) is refused with the command that makes a real one, sandbox or not', (_, pattern) => {
    for (const marker of ['0', '1']) {
      const message = fault({ ENCRYPTION_KEY: pattern, ALLOW_SANDBOX_SECRETS: marker });
      expect(message).toMatch(/ENCRYPTION_KEY: .*openssl rand -base64 32/);
      expect(message).not.toContain(pattern);
    }
  });

  test('made at random is never taken for a pattern, be it of bytes or of hexadecimal text', () => {
    for (let made = 0; made < 2_000; made += 1) {
      expect(fault({ ENCRYPTION_KEY: randomBytes(32).toString('base64') })).toBe('accepted');
      const text = Buffer.from(randomBytes(16).toString('hex')).toString('base64');
      expect(fault({ ENCRYPTION_KEY: text })).toBe('accepted');
    }
  });

  test('may list a known key behind a real one, so that what it sealed can be sealed anew', () => {
    const list = (first: string, second: string) => ({ ENCRYPTION_KEY: `new:${first},old:${second}` });
    expect(
      fault(
        list(
          real.ENCRYPTION_KEY,
          counted(() => 0),
        ),
      ),
    ).toBe('accepted');
    expect(fault(list(real.ENCRYPTION_KEY, SANDBOX_KEY))).toBe('accepted');
    expect(fault(list(SANDBOX_KEY, real.ENCRYPTION_KEY))).toContain('ENCRYPTION_KEY');
  });
});

test.each([
  ['ENCRYPTION_KEY', SANDBOX_KEY, 'openssl rand -base64 32'],
  ['ENCRYPTION_KEY', `sandbox:${SANDBOX_KEY}`, 'openssl rand -base64 32'],
  ['ADMIN_PASSWORD', 'sandbox-password', 'openssl rand -hex 16'],
  ['ADMIN_API_KEY', 'flt_sandbox-only-not-a-secret', 'flt_$(openssl rand -hex 24)'],
  ['DATABASE_URL', 'postgres://flotilla:sandbox@postgres:5432/flotilla', 'openssl rand -hex 24'],
  ['DATABASE_URL', 'postgres://flotilla:pass%77ord@127.0.0.1:5432/flotilla', 'openssl rand -hex 24'],
  ['DATABASE_URL', 'postgres://flotilla@127.0.0.1:5432/flotilla?password=sandbox', 'openssl rand -hex 24'],
  ['REDIS_URL', 'redis://:sandbox@redis:6379', 'openssl rand -hex 24'],
  ['REDIS_URL', 'redis-cluster://:password@a:6379,b:6379', 'openssl rand -hex 24'],
  ['REDIS_URL', 'redis-sentinel://a:26379,b:26379/primary?sentinelPassword=sandbox', 'openssl rand -hex 24'],
])(
  '%s of this repository (%s) is refused with the command that makes one, but in the sandbox',
  (name, value, command) => {
    const message = fault({ [name]: value });
    expect(message).toContain(`  ${name}: `);
    expect(message).toContain(command);
    expect(message).not.toContain(value);
    expect(fault({ [name]: value, ALLOW_SANDBOX_SECRETS: '1' })).toBe('accepted');
    expect(fault({ [name]: value, ALLOW_SANDBOX_SECRETS: '0' })).toContain(command);
  },
);

test('known secrets are named together with every other fault', () => {
  const message = fault({
    ADMIN_API_KEY: 'flt_sandbox-only-not-a-secret',
    METRICS_PORT: '99999',
    REDIS_URL: 'http://x',
  });
  for (const name of ['ADMIN_API_KEY', 'METRICS_PORT', 'REDIS_URL']) expect(message).toContain(`  ${name}: `);
});

test('what contains a known word, or has no password, is no known secret', () => {
  for (const ADMIN_PASSWORD of ['sandbox-password-of-mine', 'my sandbox-password']) {
    expect(fault({ ADMIN_PASSWORD })).toBe('accepted');
  }
  expect(fault({ DATABASE_URL: 'postgres://sandbox@password/sandbox', REDIS_URL: 'redis://sandbox' })).toBe('accepted');
});
