import { proxySetting, urlSetting } from '@flotilla/runtime/settings.ts';
import { z } from 'zod';

/** The settings of the demonstration; the api and the worker read theirs from the same environment. */
export const SETTINGS = z.object({
  TELEGRAM_API_URL: urlSetting('https', 'http').optional(),
  /** Only for a TELEGRAM_API_URL: the simulator needs no way out. */
  TELEGRAM_PROXY: proxySetting().optional(),
  /** For the api; all other parts listen on loopback. Private backends are allowed here. */
  HOST: z.string().default('127.0.0.1'),
  PROXY_PREFIX: z.string().default('/tgapi'),
  ADMIN_USERNAME: z.string().default('admin'),
  BACKEND_ALLOWED_CIDRS: z.string().default('127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,::1,fc00::/7'),
  SIMULATOR_LIMITS: z
    .enum(['off', 'platform'])
    .default('platform')
    .describe('Whether bots of the sandbox that send too fast get 429 as at the platform: `platform` or `off`.'),
});

/** Made and kept by the first start over a directory. */
const KEPT = {
  ADMIN_PASSWORD: z.string(),
  ADMIN_API_KEY: z.string(),
  DEMO_BOT_TOKEN: z.string(),
  DEMO_BOT_SECRET: z.string(),
};

/** All that the demonstration reads. */
export const DEMO_SETTINGS = SETTINGS.extend(KEPT);

/** An empty value allows no private range. The demo bot is then refused too, because its program is on this machine. */
export const MAY_BE_EMPTY = ['BACKEND_ALLOWED_CIDRS'] as const;

export type SandboxSettings = z.output<typeof DEMO_SETTINGS>;
