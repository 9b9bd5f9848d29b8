import { readSettings } from '@flotilla/runtime/env.ts';
import { runMain } from '@flotilla/runtime/lifecycle.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { commonSettings } from '@flotilla/runtime/settings.ts';
import { z } from 'zod';
import { connectDatabase } from './connect.ts';
import { migrateToLatest } from './migrate.ts';

const { DATABASE_URL, DATABASE_PASSWORD_COMMAND, LOG_LEVEL } = commonSettings;

runMain('migrate', async () => {
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
  } finally {
    await db.destroy();
  }
  return { stop: async () => {} };
});
