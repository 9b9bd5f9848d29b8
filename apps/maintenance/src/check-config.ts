import { apiSettings, dangersOf, NAMES_NO_PROXY, namesNoProxy } from '@flotilla/domain/startup/api-settings.ts';
import { type ServiceConfig, serviceConfig, serviceSettings } from '@flotilla/domain/startup/service-config.ts';
import { workerSettings } from '@flotilla/domain/startup/worker-settings.ts';
import { readSettings, SettingsError } from '@flotilla/runtime/env.ts';
import { z } from 'zod';
import { checkPlatforms, checkPublicUrl } from './checks/check-platform.ts';
import { checkPostgres } from './checks/check-postgres.ts';
import { checkRedis } from './checks/check-redis.ts';
import { type Finding, fail, ok, warn } from './checks/finding.ts';
import { report } from './checks/report.ts';

/** Tries what the settings name, and changes nothing. Returns 1 when something must be mended. */
export async function checkConfig({ json = false }: { json?: boolean }): Promise<number> {
  const config = readConfig();
  if (Array.isArray(config)) return report(config, json);
  return report([ok('settings', 'all are usable'), ...(await tryAll(config))], json);
}

async function tryAll(config: ServiceConfig): Promise<Finding[]> {
  const [postgres, redis, platforms] = await Promise.all([
    checkPostgres(config),
    checkRedis(config),
    checkPlatforms(config),
  ]);
  const publicUrl = await checkPublicUrl(config, postgres.webhookBots);
  return [...postgres.findings, ...redis, ...platforms, publicUrl, ...checkProxies(config)];
}

function checkProxies({ publicUrl }: ServiceConfig): Finding[] {
  const { TRUSTED_PROXIES } = readSettings(apiSettings.pick({ TRUSTED_PROXIES: true }));
  if (!namesNoProxy(publicUrl, TRUSTED_PROXIES)) return [];
  return [warn('trusted proxies', NAMES_NO_PROXY, 'set TRUSTED_PROXIES, unless only the api is told')];
}

/** The settings that api and worker share, or what is wrong with those of either. */
function readConfig(): ServiceConfig | Finding[] {
  const ofWorker = () => {
    readSettings(workerSettings);
    return [];
  };
  const faults = [
    ...faultsOf(() => dangersOf(readSettings(apiSettings)).filter(isOfSettingsGiven)),
    ...faultsOf(ofWorker),
  ];
  // A fault that both readers find would be told twice.
  const found = [...new Set(faults)].map((fault) => {
    const { name = 'settings', what = fault } =
      /^\s*(?<name>[\w, ]+)(?:\.\d+)?: (?<what>.*)$/.exec(fault)?.groups ?? {};
    return fail(name, what, 'correct it: docs/operations/settings.md has every setting');
  });
  return found.length > 0 ? found : serviceConfig(readSettings(z.object(serviceSettings)), 1);
}

/** Of two settings that do not fit, a default is no fault: the environment may be that of a worker, which does not read it. */
function isOfSettingsGiven(danger: string): boolean {
  const names = danger.slice(0, danger.indexOf(':')).split(', ');
  if (names.length === 1) return true;
  const given = readSettings(z.object(Object.fromEntries(names.map((name) => [name, z.string().optional()]))));
  return names.every((name) => given[name] !== undefined);
}

function faultsOf(read: () => string[]): string[] {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.message.split('\n').slice(1);
  }
}
