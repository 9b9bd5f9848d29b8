import { EVENT_DAYS } from '@flotilla/contract/events.ts';
import { OUTBOX_DAYS } from '@flotilla/contract/outbox.ts';
import { poolSetting } from '@flotilla/database/connect.ts';
import { integerSetting } from '@flotilla/runtime/settings.ts';
import { z } from 'zod';
import type { RetentionDays } from '../records/retention/remove-expired.ts';
import { serviceSettings } from './service-config.ts';

const ROLES = ['polling', 'push', 'rules', 'outbox', 'history', 'upkeep'] as const;
export type Role = (typeof ROLES)[number];

const rolesSetting = z
  .string()
  .transform((value) => value.split(',').map((role) => role.trim()))
  .pipe(z.array(z.enum(ROLES, `must be a comma-separated list of ${ROLES.join(', ')}`)).min(1))
  .default([...ROLES]);

// At most 100 years. 0 keeps everything.
const daysSetting = integerSetting({ min: 0, max: 36_500 });
const OF_ALL_WORKERS = 'All workers need the same value.';
const retentionSetting = (what: string, days: number) =>
  daysSetting.default(days).describe(`Days after which ${what} are removed; 0 keeps them. ${OF_ALL_WORKERS}`);

/** The settings of a worker under their flat names in the environment. */
export const workerSettings = z.object({
  ...serviceSettings,
  WORKER_DATABASE_CONNECTIONS: poolSetting(4).describe(
    'Postgres connections of one worker; the sum over all processes must fit max_connections.',
  ),
  WORKER_ROLES: rolesSetting.describe('What this worker does; split the roles to scale them apart.'),
  POLLING_CONCURRENCY: integerSetting({ min: 1, max: 20_000 })
    .default(2000)
    .describe(
      'Bots that one worker polls at once, at 150 KB each, see scale.md. With more bots than workers times this number, updates come up to 30 s late.',
    ),
  PROGRAM_LIMIT_UPDATES: integerSetting({ min: 1, max: 1_000_000 })
    .default(100_000)
    .describe(
      'Updates that may wait for a program. With more it is parked: they become failed deliveries. All workers need the same value.',
    ),
  BACKUP_MAX_AGE_HOURS: integerSetting({ min: 0, max: 8760 })
    .default(26)
    .describe(
      'Hours after which the last backup is too old, for the alert FlotillaBackupOld; 0 if nothing notes backups, see backup.md. All workers need the same value.',
    ),
  RETENTION_MESSAGES_DAYS: daysSetting
    .optional()
    .describe(
      `Days after which messages are removed; 0 keeps them. From 60 on they go with their whole month (UTC), so up to 31 days later. Without it, MESSAGE_RETENTION_DAYS. ${OF_ALL_WORKERS}`,
    ),
  RETENTION_AUDIT_DAYS: daysSetting
    .optional()
    .describe(
      `Days after which audit entries are removed, by the same rule; 0 keeps them. Without it, AUDIT_RETENTION_DAYS. ${OF_ALL_WORKERS}`,
    ),
  RETENTION_DEAD_LETTERS_DAYS: retentionSetting('failed deliveries', 0),
  RETENTION_EVENTS_DAYS: retentionSetting('events', EVENT_DAYS),
  RETENTION_OUTBOX_DAYS: retentionSetting('entries of the outbox that have ended', OUTBOX_DAYS),
  MESSAGE_RETENTION_DAYS: daysSetting.default(0).describe('The earlier name of RETENTION_MESSAGES_DAYS.'),
  AUDIT_RETENTION_DAYS: daysSetting.default(0).describe('The earlier name of RETENTION_AUDIT_DAYS.'),
});

type OfRetention = Pick<
  z.output<typeof workerSettings>,
  keyof z.output<typeof workerSettings> & (`RETENTION_${string}` | `${string}_RETENTION_DAYS`)
>;

/** After how many days rows are removed. */
export function retentionDaysOf(settings: OfRetention): RetentionDays {
  return {
    messages: settings.RETENTION_MESSAGES_DAYS ?? settings.MESSAGE_RETENTION_DAYS,
    audit: settings.RETENTION_AUDIT_DAYS ?? settings.AUDIT_RETENTION_DAYS,
    deadLetters: settings.RETENTION_DEAD_LETTERS_DAYS,
    events: settings.RETENTION_EVENTS_DAYS,
    outbox: settings.RETENTION_OUTBOX_DAYS,
  };
}
