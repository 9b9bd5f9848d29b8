import { poolSetting } from '@flotilla/database/connect.ts';
import type { RetentionDays } from '@flotilla/domain/retention/remove-expired.ts';
import { readSettings } from '@flotilla/runtime/env.ts';
import { commonSettings, integerSetting } from '@flotilla/runtime/settings.ts';
import { type TracingConfig, tracingConfig, tracingSettings } from '@flotilla/runtime/tracing-settings.ts';
import { z } from 'zod';

const ROLES = ['polling', 'push', 'rules', 'history', 'upkeep'] as const;
export type Role = (typeof ROLES)[number];

const rolesSetting = z
  .string()
  .transform((value) => value.split(',').map((role) => role.trim()))
  .pipe(z.array(z.enum(ROLES, `must be a comma-separated list of ${ROLES.join(', ')}`)).min(1))
  .default([...ROLES]);

// 100 years; 0 keeps everything.
const retentionSetting = integerSetting({ min: 0, max: 36_500 }).default(0);

export const workerSettings = z.object({
  ...commonSettings,
  ...tracingSettings,
  WORKER_DATABASE_CONNECTIONS: poolSetting(4).describe(
    'Postgres connections of one worker; the sum over all processes must fit max_connections.',
  ),
  WORKER_ROLES: rolesSetting.describe('What this worker does; split the roles to scale them apart.'),
  POLLING_CONCURRENCY: integerSetting({ min: 1, max: 20_000 })
    .default(2000)
    .describe(
      'Bots that one worker polls at once. With more bots than workers times this number, updates come up to 30 s late.',
    ),
  MESSAGE_RETENTION_DAYS: retentionSetting.describe(
    'Days after which messages are removed; 0 keeps them. All workers need the same value.',
  ),
  AUDIT_RETENTION_DAYS: retentionSetting.describe(
    'Days after which audit entries are removed; 0 keeps them. All workers need the same value.',
  ),
});

export type WorkerConfig = {
  database: { url: string; maxConnections: number };
  redisUrl: string;
  /** Bytes that each Redis may use, where its own `maxmemory` does not say; null where neither does. */
  redisMemoryLimit: number | null;
  platformUrl: string;
  encryptionKey: string;
  backendAllowedCidrs: string[];
  /** How the platform reaches the api; null where it cannot. */
  publicUrl: string | null;
  host: string;
  metricsPort: number;
  logLevel: string;
  /** Null where it is off. */
  tracing: TracingConfig | null;
  roles: Set<Role>;
  /** Bots this worker polls at once. */
  pollingConcurrency: number;
  retentionDays: RetentionDays;
};

/** Reads and checks the environment; throws SettingsError with every fault at once. */
export function readWorkerConfig(env?: Record<string, string | undefined>): WorkerConfig {
  const settings = env ? readSettings(workerSettings, env) : readSettings(workerSettings);
  return {
    database: { url: settings.DATABASE_URL, maxConnections: settings.WORKER_DATABASE_CONNECTIONS },
    redisUrl: settings.REDIS_URL,
    redisMemoryLimit: settings.REDIS_MEMORY_LIMIT ?? null,
    platformUrl: settings.TELEGRAM_API_URL,
    encryptionKey: settings.ENCRYPTION_KEY,
    backendAllowedCidrs: settings.BACKEND_ALLOWED_CIDRS,
    publicUrl: settings.PUBLIC_URL ?? null,
    host: settings.HOST,
    metricsPort: settings.METRICS_PORT,
    logLevel: settings.LOG_LEVEL,
    tracing: tracingConfig(settings),
    roles: new Set(settings.WORKER_ROLES),
    pollingConcurrency: settings.POLLING_CONCURRENCY,
    retentionDays: { messages: settings.MESSAGE_RETENTION_DAYS, audit: settings.AUDIT_RETENTION_DAYS },
  };
}
