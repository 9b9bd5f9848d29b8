import { keepCompiled } from '@flotilla/runtime/compile-cache.ts';

// Import everything else after this line: the compile cache covers only what is imported later.
keepCompiled('simulator');
const [{ readSettings }, { runMain }, { createLogger }, { SETTINGS }, { startSimulator }] = await Promise.all([
  import('@flotilla/runtime/env.ts'),
  import('@flotilla/runtime/lifecycle.ts'),
  import('@flotilla/runtime/logger.ts'),
  import('./config.ts'),
  import('./start.ts'),
]);

runMain('simulator', () => {
  const settings = readSettings(SETTINGS);
  return startSimulator({
    port: settings.PORT,
    host: settings.HOST,
    dataDir: settings.SIMULATOR_DATA_DIR,
    settings: { localMode: settings.SIMULATOR_LOCAL_MODE },
    log: createLogger({ name: 'simulator', level: settings.LOG_LEVEL }),
  });
});
