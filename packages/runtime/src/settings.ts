import { isIP } from 'node:net';
import { z } from 'zod';
import { parseEncryptionKey } from './encryption-key.ts';
import { parseRedisUrl } from './redis-url.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** A TCP port; 0 takes any free one. */
export function portSetting(defaultPort: number) {
  return integerSetting({ min: 0, max: 65_535 }).default(defaultPort);
}

/** A whole number in decimal digits, within both bounds. */
export function integerSetting(bounds: { min: number; max: number }) {
  const message = `must be a whole number from ${bounds.min} to ${bounds.max}`;
  return z
    .string()
    .regex(/^-?\d{1,15}$/, message)
    .transform(Number)
    .refine((value) => value >= bounds.min && value <= bounds.max, message);
}

/** 1, true, yes, on, or 0, false, no, off. */
export function switchSetting(defaultValue: boolean) {
  return z
    .string()
    .toLowerCase()
    .pipe(z.enum(['1', 'true', 'yes', 'on', '0', 'false', 'no', 'off'], 'must be 1 or 0'))
    .transform((value) => ['1', 'true', 'yes', 'on'].includes(value))
    .default(defaultValue);
}

/** An absolute URL with one of the schemes (named without colon). */
export function urlSetting(...schemes: string[]) {
  const message = `must be a URL that begins ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`;
  return z.string(`is required: ${message}`).refine((value) => {
    return URL.canParse(value) && schemes.includes(new URL(value).protocol.slice(0, -1));
  }, message);
}

/** A comma-separated list of addresses and ranges such as `10.0.0.0/8, ::1`. */
export function cidrListSetting() {
  return z
    .string()
    .transform((value) => value.split(',').map((range) => range.trim()))
    .transform((ranges) => ranges.filter((range) => range !== ''))
    .refine((ranges) => ranges.every(isCidr), 'must be addresses or ranges such as 10.0.0.0/8, separated by commas')
    .default([]);
}

/** ENCRYPTION_KEY as secretBox takes it, checked. */
export function encryptionKeySetting() {
  return z
    .string('is required: 32 bytes in base64 (make one with: openssl rand -base64 32)')
    .superRefine(faultOf(parseEncryptionKey));
}

/** REDIS_URL in any of its forms, checked. */
export function redisUrlSetting() {
  return z
    .string('is required: redis://host:6379, redis-sentinel://host:26379,…/primary or redis-cluster://host:6379,…')
    .superRefine(faultOf(parseRedisUrl));
}

/** Reports what a parser throws, whose message quotes no secret. */
function faultOf(parse: (value: string) => unknown) {
  return (value: string, context: z.RefinementCtx) => {
    try {
      parse(value);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'is not usable' });
    }
  };
}

/** What the api and the worker both read; spread into z.object({...}). */
export const commonSettings = {
  DATABASE_URL: urlSetting('postgres', 'postgresql'),
  REDIS_URL: redisUrlSetting(),
  REDIS_MEMORY_LIMIT: integerSetting({ min: 1_048_576, max: 999_999_999_999_999 }).optional(),
  TELEGRAM_API_URL: urlSetting('https', 'http')
    .transform((url) => url.replace(/\/+$/, ''))
    .default('https://api.telegram.org'),
  ENCRYPTION_KEY: encryptionKeySetting(),
  // What it accepts is decided where settings are read, for every process alike: see known-secrets.ts.
  ALLOW_SANDBOX_SECRETS: switchSetting(false),
  PUBLIC_URL: urlSetting('https', 'http')
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  BACKEND_ALLOWED_CIDRS: cidrListSetting(),
  HOST: z.string().default('0.0.0.0'),
  METRICS_PORT: portSetting(9090),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
} as const;

function isCidr(range: string): boolean {
  const [address = '', bits, ...rest] = range.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}
