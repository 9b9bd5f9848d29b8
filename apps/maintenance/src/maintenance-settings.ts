import type { DatabaseLogin } from '@flotilla/database/backup/long-client.ts';
import type { ProcessConfig } from '@flotilla/domain/startup/open-process.ts';
import { readSettings } from '@flotilla/runtime/env.ts';
import { commonSettings } from '@flotilla/runtime/settings.ts';
import { z } from 'zod';

const { DATABASE_URL, DATABASE_PASSWORD_COMMAND, REDIS_URL, REDIS_PASSWORD_COMMAND, ENCRYPTION_KEY, LOG_LEVEL } =
  commonSettings;
const databaseSettings = z.object({ DATABASE_URL, DATABASE_PASSWORD_COMMAND, LOG_LEVEL });
const sealedSettings = databaseSettings.extend({ REDIS_URL, REDIS_PASSWORD_COMMAND, ENCRYPTION_KEY });

/** The login of commands that need only the database. Throws SettingsError. */
export function readDatabaseLogin(): DatabaseLogin {
  const { DATABASE_URL: url, DATABASE_PASSWORD_COMMAND: readPassword } = readSettings(databaseSettings);
  return { url, readPassword };
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
