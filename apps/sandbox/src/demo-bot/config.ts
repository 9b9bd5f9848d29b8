import { portSetting, urlSetting } from '@flotilla/runtime/settings.ts';
import { z } from 'zod';

/** Settings of the demo bot when its parts run on different machines; all its secrets are public. */
export const SETTINGS = z.object({
  API_URL: urlSetting('http', 'https'),
  PROXY_PREFIX: z.string().default('/tgapi'),
  SIMULATOR_URL: urlSetting('http', 'https'),
  ADMIN_API_KEY: z.string(),
  DEMO_BOT_TOKEN: z.string(),
  DEMO_BOT_SECRET: z.string(),
  HOST: z.string().default('0.0.0.0'),
  PORT: portSetting(8082),
  /** The address at which workers reach this program. */
  BACKEND_URL: urlSetting('http', 'https'),
  /** The addresses of both as seen from the terminal. */
  SHOWN_API_URL: urlSetting('http', 'https'),
  SHOWN_SIMULATOR_URL: urlSetting('http', 'https'),
});

export type DemoBotSettings = z.output<typeof SETTINGS>;
