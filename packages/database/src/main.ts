import { readSettings } from '@flotilla/runtime/env.ts';
import { runMain } from '@flotilla/runtime/lifecycle.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { commonSettings } from '@flotilla/runtime/settings.ts';
import { z } from 'zod';
import { connectDatabase } from './connect.ts';
import { migrateToLatest } from './migrate.ts';

runMain('migrate', async () => {
  const settings = readSettings(
    z.object({ DATABASE_URL: commonSettings.DATABASE_URL, LOG_LEVEL: commonSettings.LOG_LEVEL }),
  );
  const log = createLogger({ name: 'migrate', level: settings.LOG_LEVEL });
  const db = connectDatabase({
    url: settings.DATABASE_URL,
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
