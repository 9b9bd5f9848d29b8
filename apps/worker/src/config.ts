import type { RetentionDays } from '@flotilla/domain/records/retention/remove-expired.ts';
import { type ServiceConfig, serviceConfig } from '@flotilla/domain/startup/service-config.ts';
import { type Role, retentionDaysOf, workerSettings } from '@flotilla/domain/startup/worker-settings.ts';
import { readSettings } from '@flotilla/runtime/env.ts';

export type WorkerConfig = ServiceConfig & {
  roles: Set<Role>;
  /** Bots that this worker polls at the same time. */
  pollingConcurrency: number;
  /** How many updates may wait for a program. */
  programLimit: number;
  retentionDays: RetentionDays;
  /** How old the last backup may be; 0: no matter how old. */
  backupMaxAgeHours: number;
};

/** Reads and checks the environment; throws SettingsError with every fault at once. */
export function readWorkerConfig(env?: Record<string, string | undefined>): WorkerConfig {
  const settings = env ? readSettings(workerSettings, env) : readSettings(workerSettings);
  return {
    ...serviceConfig(settings, settings.WORKER_DATABASE_CONNECTIONS),
    roles: new Set(settings.WORKER_ROLES),
    pollingConcurrency: settings.POLLING_CONCURRENCY,
    programLimit: settings.PROGRAM_LIMIT_UPDATES,
    backupMaxAgeHours: settings.BACKUP_MAX_AGE_HOURS,
    retentionDays: retentionDaysOf(settings),
  };
}
