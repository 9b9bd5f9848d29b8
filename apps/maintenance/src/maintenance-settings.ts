import type { ProcessConfig } from '@flotilla/domain/startup/open-process.ts';
import { readSettings } from '@flotilla/runtime/env.ts';
import { commonSettings } from '@flotilla/runtime/settings.ts';
import { z } from 'zod';

const { DATABASE_URL, REDIS_URL, ENCRYPTION_KEY, LOG_LEVEL } = commonSettings;

/** Settings of commands that need only the database. Throws SettingsError. */
export function readDatabaseSettings() {
  return readSettings(z.object({ DATABASE_URL, LOG_LEVEL }));
}

/** Settings of commands that need everything that is sealed. Throws SettingsError. */
export function readSealedConfig(): ProcessConfig & { logLevel: string } {
  const settings = readSettings(z.object({ DATABASE_URL, REDIS_URL, ENCRYPTION_KEY, LOG_LEVEL }));
  return {
    database: { url: settings.DATABASE_URL, maxConnections: 1 },
    redisUrl: settings.REDIS_URL,
    encryptionKey: settings.ENCRYPTION_KEY,
    logLevel: settings.LOG_LEVEL,
  };
}
