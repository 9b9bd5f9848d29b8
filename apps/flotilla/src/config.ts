import { integerSetting, portSetting, redisUrlSetting, urlSetting } from '@flotilla/runtime/settings.ts';
import { z } from 'zod';

/** The settings of the one process itself; the api and the worker in it read theirs from the same environment. */
export const SETTINGS = z.object({
  DATABASE_URL: urlSetting('postgres', 'postgresql').optional(),
  REDIS_URL: redisUrlSetting().optional(),
  HOST: z.string().default('127.0.0.1'),
  PORT: portSetting(8080),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: portSetting(9090),
  PUBLIC_URL: urlSetting('https', 'http').optional(),
  ADMIN_USERNAME: z.string().default('admin'),
  RUN_AS: integerSetting({ min: 1, max: 2 ** 31 })
    .optional()
    .describe(
      'Started as root, `flotilla` takes the data directory over and goes on as the user with this number; the image `all` sets it.',
    ),
  DATA_DIR: z
    .string()
    .optional()
    .describe(
      'Where `flotilla` keeps the stores that it brings, its keys and its logs; the option --data names it, too.',
    ),
});

export type OneProcessSettings = z.output<typeof SETTINGS>;
