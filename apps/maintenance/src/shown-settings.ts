import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { SETTING_NAMES } from '@flotilla/runtime/setting-names.ts';

/** Numbers, switches and choices. A setting that is not listed is only said to be set, so a new one shows nothing. */
const SHOWN: ReadonlySet<string> = new Set([
  'API_CPUS',
  'API_DATABASE_CONNECTIONS',
  'API_MEMORY',
  'AUDIT_RETENTION_DAYS',
  'AUTO_REGISTER_BOTS',
  'BACKUP_KEEP_DAYS',
  'BACKUP_KEEP_NEWEST',
  'BACKUP_MAX_AGE_HOURS',
  'BALANCER_NOTICE_SECONDS',
  'LIVE_STREAMS',
  'LIVE_STREAMS_PER_ACCOUNT',
  'LOG_LEVEL',
  'MAX_CONNECTIONS',
  'MAX_CONNECTIONS_PER_ADDRESS',
  'MESSAGE_RETENTION_DAYS',
  'METRICS_PORT',
  'POLLING_CONCURRENCY',
  'PORT',
  'PROGRAM_LIMIT_UPDATES',
  'PROXY_UNKNOWN_BOTS',
  'REDIS_DURABILITY',
  'REDIS_EVICTION',
  'REDIS_MEMORY_LIMIT',
  'WORKER_CPUS',
  'WORKER_DATABASE_CONNECTIONS',
  'WORKER_MEMORY',
  'WORKER_ROLES',
]);
/** Of these the scheme says how a process connects. */
const SCHEME_SHOWN: ReadonlySet<string> = new Set([
  'DATABASE_URL',
  'PUBLIC_URL',
  'REDIS_URL',
  'TELEGRAM_API_URL',
  'TELEGRAM_PROXY',
]);
const SIMPLE_VALUE = /^[\w.,-]{1,64}$/;
const SHORTEST_SECRET = 6;

/** The settings of this process, in sentences for somebody who must not learn their secrets. */
export function shownSettings(): string[] {
  return present().map(([name, value]) => `${name} is ${shownValue(name, value)}`);
}

/** Takes the values of all settings that are not shown out of a text, wherever they stand in it. */
export function withoutSettings(text: string): string {
  const hidden = present().flatMap(([name, value]) => (SHOWN.has(name) ? [] : [value, ...partsOf(value)]));
  const long = hidden.filter((part) => part.length >= SHORTEST_SECRET);
  return long.sort((a, b) => b.length - a.length).reduce((left, part) => left.replaceAll(part, '[hidden]'), text);
}

function present(): [string, string][] {
  const env = inheritedEnv();
  return SETTING_NAMES.flatMap((name): [string, string][] => {
    const value = env[name]?.trim();
    return value ? [[name, value]] : [];
  });
}

function shownValue(name: string, value: string): string {
  if (SHOWN.has(name) && SIMPLE_VALUE.test(value)) return value;
  const [, scheme] = /^([a-z-]{1,20}):\/\//.exec(value) ?? [];
  return SCHEME_SHOWN.has(name) && scheme !== undefined ? `${scheme}://…` : 'set';
}

/** User, password, host and other words of a URL, also as they are without their encoding. */
function partsOf(value: string): string[] {
  if (!value.includes('://')) return [];
  // The names of options in TELEGRAM_UPSTREAMS are no secret.
  const [, ...rest] = value.replace(/;\s*\w+=/g, ',').split('://');
  const parts = rest.join('://').split(/[/?#&=@,:\s]/);
  return parts.flatMap((part) => [part, decoded(part)]);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
