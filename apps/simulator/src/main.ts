import { readSettings } from '@flotilla/runtime/env.ts';
import { runMain } from '@flotilla/runtime/lifecycle.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { SETTINGS } from './config.ts';
import { PLATFORM_LIMITS } from './faults/flood-limits.ts';
import { CLOUD_LOGGED_OUT_MS, DEFAULT_SETTINGS } from './simulator.ts';
import { startSimulator } from './start.ts';

runMain('simulator', () => {
  const settings = readSettings(SETTINGS);
  return startSimulator({
    port: settings.PORT,
    host: settings.HOST,
    dataDir: settings.SIMULATOR_DATA_DIR,
    settings: {
      localMode: settings.SIMULATOR_LOCAL_MODE,
      workingDir: settings.SIMULATOR_WORKING_DIR ?? null,
      loggedOutMs: settings.SIMULATOR_LOCAL_MODE ? DEFAULT_SETTINGS.loggedOutMs : CLOUD_LOGGED_OUT_MS,
      controlHosts: settings.SIMULATOR_CONTROL_HOSTS,
      floodLimits: settings.SIMULATOR_LIMITS === 'platform' ? PLATFORM_LIMITS : null,
    },
    log: createLogger({ name: 'simulator', level: settings.LOG_LEVEL }),
  });
});
