import { SettingsError } from '@flotilla/runtime/env.ts';
import { cidrListSetting, integerSetting, urlSetting } from '@flotilla/runtime/settings.ts';
import { z } from 'zod';
import type { RouterConfig } from './router.ts';

const ALL = 'All processes need the same value.';

/** The settings of the router, which the api (to try rules) and workers read. */
export const routerSettings = {
  LLM_API_URL: urlSetting('https', 'http')
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe(
      `The model that chooses bots by their descriptions: any OpenAI-compatible interface, with its /v1; without it a ranker by words does, and nothing leaves. See router.md. ${ALL}`,
    ),
  LLM_API_KEY: z
    .string()
    .regex(/^[!-~]+$/, 'must have no spaces')
    .optional()
    .describe(`The key of that interface. ${ALL}`),
  LLM_MODEL: z
    .string()
    .min(1)
    .max(200, 'must have at most 200 characters')
    .optional()
    .describe(`The name of the model; required with LLM_API_URL. ${ALL}`),
  LLM_TIMEOUT_MS: integerSetting({ min: 100, max: 60_000 })
    .default(8000)
    .describe(`How long the model may take for an answer; then no bot is chosen. ${ALL}`),
  LLM_CALLS_PER_BOT_DAY: integerSetting({ min: 0, max: 1_000_000_000 })
    .default(1000)
    .describe(
      `How often the model may be asked about messages to one source bot in a day (UTC); a chat gets a tenth of what is left. ${ALL}`,
    ),
  LLM_ALLOWED_CIDRS: cidrListSetting().describe(
    `Private ranges in which the model may live; without it every private address is refused. ${ALL}`,
  ),
} as const;

/** Throws SettingsError for a URL without the name of a model. */
export function routerConfig(settings: z.output<z.ZodObject<typeof routerSettings>>): RouterConfig {
  const { LLM_API_URL: url, LLM_MODEL: name } = settings;
  const callsPerBotDay = settings.LLM_CALLS_PER_BOT_DAY;
  if (url === undefined) return { model: null, callsPerBotDay };
  if (name === undefined) throw new SettingsError('LLM_MODEL: is required with LLM_API_URL');
  const { LLM_API_KEY: key = null, LLM_TIMEOUT_MS: timeoutMs, LLM_ALLOWED_CIDRS: allowedCidrs } = settings;
  return { model: { url, key, name, timeoutMs, allowedCidrs }, callsPerBotDay };
}
