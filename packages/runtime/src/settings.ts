import { isIP } from 'node:net';
import { z } from 'zod';
import { parseEncryptionKey } from './encryption-key.ts';
import { passwordCommandFault, passwordSource } from './password-source.ts';
import { parseProxyUrl } from './proxy-url.ts';
import { parseRedisUrl } from './redis-url.ts';
import { parseUpstreams } from './upstreams-setting.ts';

const MIN_METRICS_TOKEN_LENGTH = 24;
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

/** 1, true, yes or on; 0, false, no or off. */
export function switchSetting(defaultValue: boolean) {
  return z
    .string()
    .toLowerCase()
    .pipe(z.enum(['1', 'true', 'yes', 'on', '0', 'false', 'no', 'off'], 'must be 1 or 0'))
    .transform((value) => ['1', 'true', 'yes', 'on'].includes(value))
    .default(defaultValue);
}

/** An absolute URL with one of these schemes, which are named without a colon. */
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

/** A comma-separated list of names of update kinds. */
function kindListSetting() {
  return z
    .string()
    .toLowerCase()
    .transform((value) => value.split(',').map((kind) => kind.trim()))
    .transform((kinds) => kinds.filter((kind) => kind !== ''))
    .refine(
      (kinds) => kinds.length <= 50 && kinds.every((kind) => /^[a-z0-9_]{1,64}$/.test(kind)),
      'must be at most 50 names such as message, separated by commas',
    )
    .default([]);
}

/** ENCRYPTION_KEY, checked as secretBox reads it. */
function encryptionKeySetting() {
  return z
    .string('is required: 32 bytes in base64 (make one with: openssl rand -base64 32)')
    .superRefine(faultOf(parseEncryptionKey));
}

/** REDIS_URL in any of its forms, checked as parseRedisUrl reads it. */
export function redisUrlSetting() {
  return z
    .string('is required: redis://host:6379, redis-sentinel://host:26379,…/primary or redis-cluster://host:6379,…')
    .superRefine(faultOf(parseRedisUrl));
}

/** A command, or a file, that gives a password, as passwordSource reads it. `name` is that of the setting. */
function passwordCommandSetting(name: string) {
  return z
    .string()
    .superRefine((value, context) => {
      const fault = passwordCommandFault(value);
      if (fault !== null) context.addIssue({ code: 'custom', message: fault });
    })
    .transform((command) => passwordSource(name, command));
}

/** Who answers for something that a managed service may hide: `checked` lets us look at it. */
function answersSetting() {
  return z.enum(['checked', 'provider'], 'must be checked or provider').default('checked');
}

/** TELEGRAM_PROXY, checked as parseProxyUrl reads it. */
export function proxySetting() {
  return z.string().superRefine(faultOf(parseProxyUrl));
}

/** Reports the error of a parser, whose message quotes no secret. */
function faultOf(parse: (value: string) => unknown) {
  return (value: string, context: z.RefinementCtx) => {
    try {
      parse(value);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'is not usable' });
    }
  };
}

/** The settings that the api and the worker both read, to be spread into z.object({...}). */
export const commonSettings = {
  DATABASE_URL: urlSetting('postgres', 'postgresql').meta({
    description: 'Postgres, see postgres.md. All processes need the same value.',
    example: 'postgres://flotilla:password@127.0.0.1:5432/flotilla',
  }),
  DATABASE_PASSWORD_COMMAND: passwordCommandSetting('DATABASE_PASSWORD_COMMAND')
    .optional()
    .describe(
      'A command that prints the password of DATABASE_URL for each new connection; or file:/path of a file that contains it, see managed-stores.md.',
    ),
  REDIS_URL: redisUrlSetting().meta({
    description: 'Redis: one server, a Sentinel set or a Cluster, see redis.md. All processes need the same value.',
    example: 'redis://:password@127.0.0.1:6379',
  }),
  REDIS_PASSWORD_COMMAND: passwordCommandSetting('REDIS_PASSWORD_COMMAND')
    .optional()
    .describe(
      'The same for REDIS_URL. Connections also log in anew with it every 4 minutes, before a service ends them.',
    ),
  REDIS_DURABILITY: answersSetting().describe(
    'provider: Redis is a managed service that answers for what it acknowledged; nobody looks at its append-only file and no CONFIG is sent, see managed-stores.md. All processes need the same value.',
  ),
  REDIS_EVICTION: answersSetting().describe(
    'provider: the service answers for what a full Redis removes; nobody looks at its policy, see managed-stores.md. All processes need the same value.',
  ),
  REDIS_MEMORY_LIMIT: integerSetting({ min: 1_048_576, max: 999_999_999_999_999 })
    .optional()
    .describe(
      'Bytes that Redis may use, for a Redis without maxmemory, see limits.md. All processes need the same value.',
    ),
  TELEGRAM_API_URL: urlSetting('https', 'http')
    .transform((url) => url.replace(/\/+$/, ''))
    .default('https://api.telegram.org')
    .describe('The platform; change it for a Bot API server of your own. All processes need the same value.'),
  EXTRA_UPDATE_KINDS: kindListSetting().describe(
    'Kinds of updates to ask the platform for beside those that this release knows and those that a reader named. All processes need the same value.',
  ),
  TELEGRAM_PROXY: proxySetting()
    .optional()
    .describe(
      'The way out for everything that goes to the platform, in a network without one, see install.md. All processes need the same value.',
    ),
  TELEGRAM_UPSTREAMS: z
    .string()
    .superRefine(faultOf((value) => parseUpstreams(value)))
    .optional()
    .describe(
      'Bot API servers that bots can be at beside that of TELEGRAM_API_URL, see upstreams.md: local=http://bot-api:8081;files=/var/lib/telegram-bot-api, eu=https://api.telegram.org;proxy=socks5://user:password@host:1080. All processes need the same value.',
    ),
  ENCRYPTION_KEY: encryptionKeySetting().describe(
    'Seals tokens, secrets, and the URLs of backends and event sinks, and signs sessions. Keep a copy elsewhere, see backup.md. All processes need the same value.',
  ),
  // readSettings (known-secrets.ts) decides what this accepts, for every process alike.
  ALLOW_SANDBOX_SECRETS: switchSetting(false).describe(
    'For the sandbox only: accepts the passwords and keys that this repository shows.',
  ),
  PUBLIC_URL: urlSetting('https', 'http')
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe(
      'How the platform and browsers reach the api; needed for webhook_mode and for sign-in over HTTPS. All processes need the same value.',
    ),
  BACKEND_ALLOWED_CIDRS: cidrListSetting().describe(
    'Private ranges in which backends may live; without it every private address is refused. All processes need the same value.',
  ),
  METRICS_PORT: portSetting(9090).describe(
    'The port of /metrics, /livez and /readyz; each process on a machine needs its own.',
  ),
  METRICS_HOST: z
    .string()
    .default('127.0.0.1')
    .describe(
      'The address of METRICS_PORT. With another one than loopback, keep the port inside your network or set METRICS_TOKEN.',
    ),
  METRICS_TOKEN: z
    .string()
    .regex(/^[!-~]+$/, 'must have no spaces')
    .min(MIN_METRICS_TOKEN_LENGTH, `must have at least ${MIN_METRICS_TOKEN_LENGTH} characters`)
    .optional()
    .describe(
      'What Prometheus must send as Bearer to read /metrics; without it everybody may who reaches METRICS_PORT.',
    ),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`)
    .default('info')
    .describe('The least severe log lines that are written.'),
} as const;

function isCidr(range: string): boolean {
  const [address = '', bits, ...rest] = range.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}
