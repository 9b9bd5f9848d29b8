import { portSetting, proxySetting, redisUrlSetting, urlSetting } from '@flotilla/runtime/settings.ts';
import { z } from 'zod';

/** The sandbox's own settings; the api and the worker it starts read theirs from the same environment. */
export const SETTINGS = z.object({
  DATABASE_URL: urlSetting('postgres', 'postgresql').optional(),
  REDIS_URL: redisUrlSetting().optional(),
  TELEGRAM_API_URL: urlSetting('https', 'http').optional(),
  /** Only for a TELEGRAM_API_URL: the simulator needs no way out. */
  TELEGRAM_PROXY: proxySetting().optional(),
  /** For the api and the metrics; all other parts listen on loopback. Private backends are allowed here. */
  HOST: z.string().default('127.0.0.1'),
  PORT: portSetting(8080),
  PROXY_PREFIX: z.string().default('/tgapi'),
  ENCRYPTION_KEY: z.string().optional(),
  ADMIN_USERNAME: z.string().default('admin'),
  ADMIN_PASSWORD: z.string().optional(),
  ADMIN_API_KEY: z.string().optional(),
  BACKEND_ALLOWED_CIDRS: z.string().default('127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,::1,fc00::/7'),
  SIMULATOR_LIMITS: z
    .enum(['off', 'platform'])
    .default('platform')
    .describe('Whether bots of the sandbox that send too fast get 429 as at the platform: `platform` or `off`.'),
  DATA_DIR: z.string().default('.data').describe('Where the sandbox keeps its files.'),
});

/** An empty value allows no private range. The demo bot is then refused too, because its program is on this machine. */
export const MAY_BE_EMPTY = ['BACKEND_ALLOWED_CIDRS'] as const;

export type SandboxSettings = z.output<typeof SETTINGS>;
