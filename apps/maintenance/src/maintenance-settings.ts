import { readSettings } from '@flotilla/runtime/env.ts';
import { commonSettings } from '@flotilla/runtime/settings.ts';
import { z } from 'zod';

const { DATABASE_URL, REDIS_URL, ENCRYPTION_KEY, LOG_LEVEL } = commonSettings;

/** For what works on the database alone. Throws SettingsError. */
export function readDatabaseSettings() {
  return readSettings(z.object({ DATABASE_URL, LOG_LEVEL }));
}

/** For what works on everything that is sealed. Throws SettingsError. */
export function readSealedSettings() {
  return readSettings(z.object({ DATABASE_URL, REDIS_URL, ENCRYPTION_KEY, LOG_LEVEL }));
}
