import type { RedisChecks } from '@flotilla/redis/server-state.ts';
import { type ProxyTarget, parseProxyUrl } from '@flotilla/runtime/proxy-url.ts';
import { commonSettings } from '@flotilla/runtime/settings.ts';
import { type TracingConfig, tracingConfig, tracingSettings } from '@flotilla/runtime/tracing-settings.ts';
import { parseUpstreams, type UpstreamServers } from '@flotilla/runtime/upstreams-setting.ts';
import type { z } from 'zod';
import type { RouterConfig } from '../delivery/router/router.ts';
import { routerConfig, routerSettings } from '../delivery/router/router-settings.ts';
import type { ProcessConfig } from './open-process.ts';

/** The settings that the api and the worker both read, to be spread into z.object({...}). */
export const serviceSettings = { ...commonSettings, ...routerSettings, ...tracingSettings } as const;

export type ServiceConfig = ProcessConfig & {
  /** The parts of Redis that are inspected; a managed service answers for the rest. */
  redisChecks: RedisChecks;
  /** Bytes that each Redis may use if its own `maxmemory` sets no limit; null when no limit is known. */
  redisMemoryLimit: number | null;
  platformUrl: string;
  /** Kinds of updates to ask the platform for beside those that are known or named. */
  extraKinds: string[];
  /** The way to the platform; null: straight. */
  platformProxy: ProxyTarget | null;
  /** The Bot API servers beside that of `platformUrl`. */
  servers: UpstreamServers;
  backendAllowedCidrs: string[];
  router: RouterConfig;
  /** The URL at which the platform reaches the api; null if it cannot. */
  publicUrl: string | null;
  metricsHost: string;
  metricsPort: number;
  /** null: /metrics asks for no credential. */
  metricsToken: string | null;
  logLevel: string;
  /** Null when tracing is off. */
  tracing: TracingConfig | null;
};

export function serviceConfig(
  settings: z.output<z.ZodObject<typeof serviceSettings>>,
  databaseConnections: number,
): ServiceConfig {
  const platformProxy = settings.TELEGRAM_PROXY === undefined ? null : parseProxyUrl(settings.TELEGRAM_PROXY);
  return {
    database: {
      url: settings.DATABASE_URL,
      readPassword: settings.DATABASE_PASSWORD_COMMAND,
      maxConnections: databaseConnections,
    },
    redisUrl: settings.REDIS_URL,
    readRedisPassword: settings.REDIS_PASSWORD_COMMAND,
    redisChecks: {
      durability: settings.REDIS_DURABILITY === 'checked',
      eviction: settings.REDIS_EVICTION === 'checked',
    },
    redisMemoryLimit: settings.REDIS_MEMORY_LIMIT ?? null,
    encryptionKey: settings.ENCRYPTION_KEY,
    platformUrl: settings.TELEGRAM_API_URL,
    extraKinds: settings.EXTRA_UPDATE_KINDS,
    platformProxy,
    servers: parseUpstreams(settings.TELEGRAM_UPSTREAMS ?? '', platformProxy),
    backendAllowedCidrs: settings.BACKEND_ALLOWED_CIDRS,
    router: routerConfig(settings),
    publicUrl: settings.PUBLIC_URL ?? null,
    metricsHost: settings.METRICS_HOST,
    metricsPort: settings.METRICS_PORT,
    metricsToken: settings.METRICS_TOKEN ?? null,
    logLevel: settings.LOG_LEVEL,
    tracing: tracingConfig(settings),
  };
}
