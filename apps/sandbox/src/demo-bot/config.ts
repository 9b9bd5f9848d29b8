import { portSetting, urlSetting } from '@flotilla/runtime/settings.ts';
import { z } from 'zod';

/** What the demo bot needs where its parts run on machines of their own; all of it is known to the world. */
export const SETTINGS = z.object({
  API_URL: urlSetting('http', 'https'),
  PROXY_PREFIX: z.string().default('/tgapi'),
  SIMULATOR_URL: urlSetting('http', 'https'),
  ADMIN_API_KEY: z.string(),
  DEMO_BOT_TOKEN: z.string(),
  DEMO_BOT_SECRET: z.string(),
  HOST: z.string().default('0.0.0.0'),
  PORT: portSetting(8082),
  /** Where the workers reach this program. */
  BACKEND_URL: urlSetting('http', 'https'),
  /** As the person at the terminal reaches the two. */
  SHOWN_API_URL: urlSetting('http', 'https'),
  SHOWN_SIMULATOR_URL: urlSetting('http', 'https'),
});

export type DemoBotSettings = z.output<typeof SETTINGS>;
