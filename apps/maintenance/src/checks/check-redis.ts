import type { ServiceConfig } from '@flotilla/domain/startup/service-config.ts';
import { inspectRedis, type RedisInspection } from '@flotilla/redis/inspect-redis.ts';
import { checkClock } from './check-clock.ts';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';

type Config = Pick<ServiceConfig, 'redisUrl' | 'readRedisPassword' | 'redisChecks' | 'redisMemoryLimit'>;

const OLDEST = { Redis: [7, 0], Valkey: [7, 2] } as const;

/** Tries Redis as every process will: login, kind of server, rights, and whether it keeps what it acknowledges. */
export async function checkRedis(config: Config): Promise<Finding[]> {
  const { redisUrl: url, readRedisPassword: readPassword, redisChecks: checks } = config;
  try {
    const inspection = await inspectRedis({ url, readPassword, checks });
    return [
      ...inspection.state.versions.map(checkVersion),
      ...checkRights(inspection),
      ...checkDurability(inspection),
      ...checkEviction(inspection),
      checkLimit(inspection, config.redisMemoryLimit),
      checkClock('Redis', inspection.aheadMs),
    ];
  } catch (error) {
    return [fail('redis', reasonOf(error), mendOf(reasonOf(error)))];
  }
}

function mendOf(reason: string): string {
  if (/WRONGPASS|NOAUTH/.test(reason)) return 'write the user and password that Redis has into REDIS_URL';
  if (/certificate|altnames/i.test(reason)) {
    return 'give Redis a certificate for the host of REDIS_URL, or name its authority in NODE_EXTRA_CA_CERTS';
  }
  if (/NOPERM/.test(reason)) return 'give its user the rights of docs/operations/redis.md';
  return 'start Redis, or correct host, port and scheme of REDIS_URL; is the way there open?';
}

function checkVersion(version: string): Finding {
  const [, product = '', major = '0', minor = '0'] = /^(\w+) (\d+)\.(\d+)/.exec(version) ?? [];
  const oldest = OLDEST[product as keyof typeof OLDEST];
  const isOld =
    oldest !== undefined && (Number(major) < oldest[0] || (Number(major) === oldest[0] && Number(minor) < oldest[1]));
  if (!isOld) return ok('redis version', version);
  return fail('redis version', version, `upgrade to ${product} ${oldest.join('.')} or later`);
}

function checkRights({ refusals }: RedisInspection): Finding[] {
  if (refusals.length === 0) return [ok('redis rights', 'its user has every right that is needed')];
  return refusals.map((refusal) => fail('redis rights', refusal, 'give it the rights of docs/operations/redis.md'));
}

function checkDurability({ state }: RedisInspection): Finding[] {
  if (state.durable === null) return [ok('redis durability', 'the provider answers for it (REDIS_DURABILITY)')];
  if (state.durable)
    return [ok('redis durability', 'every change is on disk before the answer, as far as Redis tells')];
  const mend = 'set appendonly yes and appendfsync always, and see that its disk takes writes';
  return [fail('redis durability', 'Redis answers before a change is in its append-only file', mend)];
}

function checkEviction({ state }: RedisInspection): Finding[] {
  if (state.evicts === null) return [ok('redis eviction', 'the provider answers for it (REDIS_EVICTION)')];
  if (!state.evicts) return [ok('redis eviction', 'a full Redis evicts nothing')];
  return [fail('redis eviction', 'a full Redis evicts updates', 'set maxmemory-policy noeviction')];
}

function checkLimit({ limitBytes, state }: RedisInspection, setting: number | null): Finding {
  const limit = limitBytes > 0 ? limitBytes : setting;
  if (limit === null) {
    const mend = 'set maxmemory to 60 % of the memory of its machine, or REDIS_MEMORY_LIMIT';
    return warn('redis memory', 'no limit is set, so intake cannot slow down in time', mend);
  }
  const percent = Math.round((100 * state.used_bytes) / limit);
  const found = `${percent} % of ${Math.round(limit / 1_048_576)} MiB are used`;
  if (percent < 60) return ok('redis memory', found);
  return (percent < 80 ? warn : fail)('redis memory', found, 'give Redis more memory, or look for what waits there');
}
