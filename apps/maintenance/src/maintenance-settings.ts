import type { KeptBackups } from '@flotilla/database/backup/kept-backups.ts';
import type { DatabaseLogin } from '@flotilla/database/backup/long-client.ts';
import type { S3Settings } from '@flotilla/database/backup/s3-store.ts';
import type { RetentionDays } from '@flotilla/domain/records/retention/remove-expired.ts';
import type { ProcessConfig } from '@flotilla/domain/startup/open-process.ts';
import { type ServiceConfig, serviceConfig, serviceSettings } from '@flotilla/domain/startup/service-config.ts';
import { retentionDaysOf, workerSettings } from '@flotilla/domain/startup/worker-settings.ts';
import { readSettings } from '@flotilla/runtime/env.ts';
import type { PasswordSource } from '@flotilla/runtime/password-source.ts';
import { commonSettings, integerSetting, urlSetting } from '@flotilla/runtime/settings.ts';
import { z } from 'zod';

const { DATABASE_URL, DATABASE_PASSWORD_COMMAND, REDIS_URL, REDIS_PASSWORD_COMMAND, ENCRYPTION_KEY, LOG_LEVEL } =
  commonSettings;
const databaseSettings = z.object({ DATABASE_URL, DATABASE_PASSWORD_COMMAND, LOG_LEVEL });
const sealedSettings = databaseSettings.extend({ REDIS_URL, REDIS_PASSWORD_COMMAND, ENCRYPTION_KEY });

const DIAGNOSIS_CONNECTIONS = 2;

const keepSettings = {
  BACKUP_KEEP_DAYS: integerSetting({ min: 0, max: 36_500 })
    .default(0)
    .describe('Days after which `backup --into` removes a backup that it has made; 0 keeps all.'),
  BACKUP_KEEP_NEWEST: integerSetting({ min: 1, max: 1_000 })
    .default(3)
    .describe('So many of the newest backups stay, however old they are.'),
};

const s3Settings = {
  BACKUP_S3_ENDPOINT: urlSetting('https', 'http').describe('The S3-compatible store of places that begin `s3://`.'),
  BACKUP_S3_REGION: z.string().default('us-east-1').describe('Its region.'),
  BACKUP_S3_ACCESS_KEY_ID: z.string('is required for s3://').describe('The id of the access key.'),
  BACKUP_S3_SECRET_ACCESS_KEY: z.string('is required for s3://').describe('The access key.'),
};

/** The settings that only these commands have. */
export const backupSettings = z.object({ ...keepSettings, ...s3Settings });

/** The login of commands that need only the database. Throws SettingsError. */
export function readDatabaseLogin(): DatabaseLogin {
  const { DATABASE_URL: url, DATABASE_PASSWORD_COMMAND: readPassword } = readSettings(databaseSettings);
  return { url, readPassword };
}

const retentionSettings = workerSettings.pick({
  ...{ RETENTION_MESSAGES_DAYS: true, RETENTION_AUDIT_DAYS: true, RETENTION_DEAD_LETTERS_DAYS: true },
  ...{ RETENTION_EVENTS_DAYS: true, RETENTION_OUTBOX_DAYS: true },
  ...{ MESSAGE_RETENTION_DAYS: true, AUDIT_RETENTION_DAYS: true },
});

/** Where Redis is, if the settings say so. Throws SettingsError. */
export function readRedisLogin(): { url: string; readPassword: PasswordSource | undefined } | null {
  const settings = readSettings(z.object({ REDIS_URL: REDIS_URL.optional(), REDIS_PASSWORD_COMMAND }));
  return settings.REDIS_URL === undefined
    ? null
    : { url: settings.REDIS_URL, readPassword: settings.REDIS_PASSWORD_COMMAND };
}

/** The retention of a worker with the same settings. Throws SettingsError. */
export function readRetentionDays(): RetentionDays {
  return retentionDaysOf(readSettings(retentionSettings));
}

/** Throws SettingsError. */
export function readKeptBackups(): KeptBackups {
  const { BACKUP_KEEP_DAYS: days, BACKUP_KEEP_NEWEST: newest } = readSettings(z.object(keepSettings));
  return { days, newest };
}

/** Throws SettingsError. */
export function readS3Settings(): S3Settings {
  const settings = readSettings(z.object(s3Settings));
  return {
    endpoint: settings.BACKUP_S3_ENDPOINT,
    region: settings.BACKUP_S3_REGION,
    accessKeyId: settings.BACKUP_S3_ACCESS_KEY_ID,
    secretAccessKey: settings.BACKUP_S3_SECRET_ACCESS_KEY,
  };
}

export type DiagnosisConfig = ServiceConfig & { backupMaxAgeHours: number };

/** The settings that api and worker share, and the worker's limit for the age of a backup. Throws SettingsError. */
export function readDiagnosisConfig(): DiagnosisConfig {
  const { BACKUP_MAX_AGE_HOURS } = workerSettings.shape;
  const settings = readSettings(z.object({ ...serviceSettings, BACKUP_MAX_AGE_HOURS }));
  return { ...serviceConfig(settings, DIAGNOSIS_CONNECTIONS), backupMaxAgeHours: settings.BACKUP_MAX_AGE_HOURS };
}

/** Settings of commands that need everything that is sealed. Throws SettingsError. */
export function readSealedConfig(): ProcessConfig & { logLevel: string } {
  const settings = readSettings(sealedSettings);
  const { DATABASE_URL: url, DATABASE_PASSWORD_COMMAND: readPassword } = settings;
  return {
    database: { url, readPassword, maxConnections: 1 },
    redisUrl: settings.REDIS_URL,
    readRedisPassword: settings.REDIS_PASSWORD_COMMAND,
    encryptionKey: settings.ENCRYPTION_KEY,
    logLevel: settings.LOG_LEVEL,
  };
}
