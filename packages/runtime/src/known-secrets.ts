import { parseEncryptionKey } from './encryption-key.ts';
import { parseRedisUrl } from './redis-url.ts';

/** Secrets that this repository shows (compose's sandbox, the examples). Only the sandbox accepts them. */
const WELL_KNOWN = new Set([
  'c2FuZGJveC1vbmx5LW5vdC1hLXNlY3JldC0zMi1ieXQ=',
  'sandbox',
  'sandbox-password',
  'sandbox-grafana-password',
  'flt_sandbox-only-not-a-secret',
  'password',
]);

const KEY_BYTES = 32;
const LONGEST_PERIOD = KEY_BYTES / 2;
/** 32 random bytes, or 32 random hexadecimal characters, have more distinct values, except once in 10^12. */
const FEW_DIFFERENT = 5;

type SecretSetting = { secretsIn(value: string): (string | undefined)[]; command: string };

const SECRET_SETTINGS: Record<string, SecretSetting> = {
  ENCRYPTION_KEY: { secretsIn: (value) => [sealingKey(value)], command: 'openssl rand -base64 32' },
  DATABASE_URL: { secretsIn: databasePasswords, command: 'openssl rand -hex 24' },
  REDIS_URL: { secretsIn: redisPasswords, command: 'openssl rand -hex 24' },
  ADMIN_PASSWORD: { secretsIn: (value) => [value], command: 'openssl rand -hex 16' },
  ADMIN_API_KEY: { secretsIn: (value) => [value], command: 'echo "flt_$(openssl rand -hex 24)"' },
};

/** The fault of a public or guessable secret, with the command that makes a good one; otherwise null. */
export function knownSecretFault(name: string, value: string, sandbox: boolean): string | null {
  const setting = Object.hasOwn(SECRET_SETTINGS, name) ? SECRET_SETTINGS[name] : undefined;
  if (setting === undefined) return null;
  const secrets = secretsIn(setting, value);
  const makeOne = `make a real one with: ${setting.command}`;
  if (name === 'ENCRYPTION_KEY' && secrets.some(isPattern)) return `is a pattern that anybody can guess; ${makeOne}`;
  if (sandbox || !secrets.some((secret) => WELL_KNOWN.has(secret))) return null;
  return `${name.endsWith('_URL') ? 'its password ' : ''}is in Flotilla's repository, where everybody can read it; ${makeOne}`;
}

function secretsIn(setting: SecretSetting, value: string): string[] {
  try {
    return setting.secretsIn(value).filter((secret) => secret !== undefined);
  } catch {
    // The schema reports a value of the wrong form.
    return [];
  }
}

/** Keys after the first only open texts. A known key may stay there until rotate-keys has sealed everything again. */
function sealingKey(value: string): string {
  return parseEncryptionKey(value).first.key.toString('base64');
}

function databasePasswords(value: string): (string | undefined)[] {
  const { password, searchParams } = new URL(value);
  return [decodeURIComponent(password), ...searchParams.getAll('password')];
}

function redisPasswords(value: string): (string | undefined)[] {
  const target = parseRedisUrl(value);
  return [target.password, target.form === 'sentinel' ? target.sentinelLogin.password : undefined];
}

/** True if a key repeats, counts in equal steps, or has very few distinct bytes. */
function isPattern(base64: string): boolean {
  const bytes = [...Buffer.from(base64, 'base64')];
  const step = (index: number) => (bytes[index]! - bytes[index - 1]! + 256) % 256;
  const counts = bytes.every((_, index) => index < 2 || step(index) === step(1));
  const periods = Array.from({ length: LONGEST_PERIOD }, (_, index) => index + 1);
  const repeats = periods.some((period) =>
    bytes.every((byte, index) => index < period || byte === bytes[index - period]),
  );
  return counts || repeats || new Set(bytes).size <= FEW_DIFFERENT;
}
