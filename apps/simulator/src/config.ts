import { integerSetting, portSetting, switchSetting } from '@flotilla/runtime/settings.ts';
import { z } from 'zod';

/** The simulator's environment. */
export const SETTINGS = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: portSetting(8081),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  /** The folder of the SQLite file; without it the simulator keeps everything in memory. */
  SIMULATOR_DATA_DIR: z.string().optional(),
  /** 0: setWebhook follows the cloud's rules (https, four ports, public addresses). */
  SIMULATOR_LOCAL_MODE: switchSetting(true),
  /** A second server of the same bots, in local mode, listens here: bots move to it by logOut. */
  SIMULATOR_LOCAL_PORT: integerSetting({ min: 0, max: 65_535 }).optional(),
  /** The working directory of a server in local mode: getFile answers absolute paths in it. Without it files are served as the cloud does. */
  SIMULATOR_WORKING_DIR: z.string().optional(),
  /** Names, separated by commas, under which the control API may be called beside addresses and localhost. */
  SIMULATOR_CONTROL_HOSTS: z
    .string()
    .default('')
    .transform((names) => names.split(',').map((name) => name.trim().toLowerCase()))
    .transform((names) => names.filter((name) => name !== '')),
  /** platform: bots that send too fast get 429, as at the platform; off: they may. */
  SIMULATOR_LIMITS: z.enum(['off', 'platform']).default('off'),
});
