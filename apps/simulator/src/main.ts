import { readSettings } from '@flotilla/runtime/env.ts';
import { runMain } from '@flotilla/runtime/lifecycle.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { SETTINGS } from './config.ts';
import { PLATFORM_LIMITS } from './faults/flood-limits.ts';
import { CLOUD_LOGGED_OUT_MS, DEFAULT_SETTINGS } from './simulator.ts';
import { startSimulator } from './start.ts';

runMain('simulator', async () => {
  const settings = readSettings(SETTINGS);
  const { HOST: host, SIMULATOR_LOCAL_PORT: localPort } = settings;
  const log = createLogger({ name: 'simulator', level: settings.LOG_LEVEL });
  const shared = {
    workingDir: settings.SIMULATOR_WORKING_DIR ?? null,
    controlHosts: settings.SIMULATOR_CONTROL_HOSTS,
    floodLimits: settings.SIMULATOR_LIMITS === 'platform' ? PLATFORM_LIMITS : null,
  };
  const first = await startSimulator({
    port: settings.PORT,
    host,
    dataDir: settings.SIMULATOR_DATA_DIR,
    settings: {
      ...shared,
      ...(localPort === undefined ? {} : { workingDir: null }),
      localMode: settings.SIMULATOR_LOCAL_MODE,
      loggedOutMs: settings.SIMULATOR_LOCAL_MODE ? DEFAULT_SETTINGS.loggedOutMs : CLOUD_LOGGED_OUT_MS,
    },
    log,
  });
  if (localPort === undefined) return first;
  const local = await startSimulator({
    ...{ port: localPort, host, beside: first, log },
    settings: { ...shared, serverName: 'local' },
  });
  return {
    stop: async () => {
      await local.stop();
      await first.stop();
    },
  };
});
