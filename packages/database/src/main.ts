import { keepCompiled } from '@flotilla/runtime/compile-cache.ts';

// Everything else is imported after this line, or it would be compiled before.
keepCompiled('migrate');
const [
  { readSettings },
  { runMain },
  { createLogger },
  { commonSettings },
  { z },
  { connectDatabase },
  { migrateToLatest },
] = await Promise.all([
  import('@flotilla/runtime/env.ts'),
  import('@flotilla/runtime/lifecycle.ts'),
  import('@flotilla/runtime/logger.ts'),
  import('@flotilla/runtime/settings.ts'),
  import('zod'),
  import('./connect.ts'),
  import('./migrate.ts'),
]);

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
