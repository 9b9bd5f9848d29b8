import { readSettings } from '@flotilla/runtime/env.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { commonSettings } from '@flotilla/runtime/settings.ts';
import { z } from 'zod';
import { connectDatabase } from './connect.ts';
import { migrateToLatest } from './migrate.ts';

const { DATABASE_URL, DATABASE_PASSWORD_COMMAND, LOG_LEVEL } = commonSettings;

/** Brings the database that the settings name up to date. Returns the exit code. */
export async function runMigrations(): Promise<number> {
  const settings = readSettings(z.object({ DATABASE_URL, DATABASE_PASSWORD_COMMAND, LOG_LEVEL }));
  const log = createLogger({ name: 'migrate', level: settings.LOG_LEVEL });
  const db = connectDatabase({
    url: settings.DATABASE_URL,
    readPassword: settings.DATABASE_PASSWORD_COMMAND,
    role: 'migrate',
    maxConnections: 1,
    queryTimeoutMs: null,
    log,
  });
  try {
    const applied = await migrateToLatest(db);
    log.info({ applied }, applied.length === 0 ? 'nothing to migrate' : 'migrated');
    return 0;
  } finally {
    await db.destroy();
  }
}
