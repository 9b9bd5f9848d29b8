import { MIN_PASSWORD_LENGTH } from '@flotilla/contract/accounts.ts';
import { poolSetting } from '@flotilla/database/connect.ts';
import { hostName } from '@flotilla/runtime/host-name.ts';
import { cidrListSetting, integerSetting, portSetting, switchSetting, urlSetting } from '@flotilla/runtime/settings.ts';
import { z } from 'zod';
import { serviceSettings } from './service-config.ts';
import { signInFaults, signInSettings } from './sign-in-settings.ts';

const MIN_KEY_LENGTH = 24;
const OWN_PATHS = [
  '/api',
  '/admin',
  '/telegram',
  '/console',
  '/livez',
  '/readyz',
  '/docs',
  '/openapi.json',
  '/mcp',
  '/bot',
  '/file',
];

/** The settings of the api under their flat names in the environment. */
export const apiSettings = z.object({
  ...serviceSettings,
  API_DATABASE_CONNECTIONS: poolSetting(10).describe(
    'Postgres connections of one api; the sum over all processes must fit max_connections.',
  ),
  HOST: z.string().default('0.0.0.0').describe('The address of PORT.'),
  PORT: portSetting(8080).describe('The port of REST, the proxy and long polls; each api on a machine needs its own.'),
  PROXY_PREFIX: z
    .string()
    .regex(/^(\/[A-Za-z0-9._~-]+)+$/, 'must be a path such as /tgapi, without a slash at the end')
    .default('/tgapi')
    .describe('The path of the Bot API proxy; change it when /tgapi is taken.'),
  PROXY_HOST: z
    .string()
    .refine((host) => hostName(host) !== '', 'must be the name of a host, such as bots.example.com')
    .transform(hostName)
    .optional()
    .describe('A host for the proxy alone, see install.md; it must not be the host of PUBLIC_URL.'),
  PROXY_UNKNOWN_BOTS: z
    .enum(['forward', 'reject'], 'must be forward or reject')
    .default('forward')
    .describe('What happens to calls with an unregistered token; reject lets only registered bots use the proxy.'),
  SANDBOX_URL: urlSetting('http', 'https')
    .optional()
    .describe('The page of a sandbox on which people write to its bot; only the sandbox sets it.'),
  AUTO_REGISTER_BOTS: switchSetting(false).describe(
    '1: a setWebhook through the proxy registers the bot of an unknown token.',
  ),
  ADMIN_USERNAME: z
    .string()
    .max(64, 'must have at most 64 characters')
    .default('admin')
    .describe('The first admin, made at the first start.'),
  ADMIN_PASSWORD: z
    .string()
    .min(MIN_PASSWORD_LENGTH, `must have at least ${MIN_PASSWORD_LENGTH} characters`)
    .optional()
    .describe('Password of the first admin; without it a random one is printed once.'),
  ADMIN_API_KEY: z
    .string()
    .regex(/^flt_[!-~]+$/, 'must begin with flt_ and have no spaces')
    .min(MIN_KEY_LENGTH, `must have at least ${MIN_KEY_LENGTH} characters`)
    .optional()
    .describe('An API key of that account. A new value revokes the old key and every key made with it.'),
  ...signInSettings,
  LABELS_MAX: integerSetting({ min: 1, max: 10_000 })
    .default(200)
    .describe('How many different labels the bots may have in all; a call that would make more is refused.'),
  TRUSTED_PROXIES: cidrListSetting().describe('Ranges of the load balancers whose X-Forwarded-* headers count.'),
  MAX_CONNECTIONS: integerSetting({ min: 10, max: 1_000_000 })
    .default(20_000)
    .describe(
      'Connections of one process at once, waiting polls included; new ones beyond it are refused. A waiting poll takes 22 KB.',
    ),
  // A fifth of the connections is left for everybody else; ten thousand clients may poll from behind one NAT.
  MAX_CONNECTIONS_PER_ADDRESS: integerSetting({ min: 0, max: 1_000_000 })
    .default(16_000)
    .describe(
      'Connections that one address (IPv6: one /64) may have to one process; new ones beyond it are refused. 0 is no limit. Addresses in TRUSTED_PROXIES have none.',
    ),
  LIVE_STREAMS: integerSetting({ min: 0, max: 20_000 })
    .default(200)
    .describe('Live streams (GET /api/live) of one process at once; further ones get 429.'),
  LIVE_STREAMS_PER_ACCOUNT: integerSetting({ min: 1, max: 20_000 })
    .default(4)
    .describe(
      'Live streams that one account may have at one process, with all its sessions and keys; further ones get 429.',
    ),
  MCP_WRITES_PER_MINUTE: integerSetting({ min: 1, max: 100_000 })
    .default(20)
    .describe('How often the tools of POST /mcp that write may be used with one API key in a minute.'),
  // The api serves on for this time, then keeps idle connections for it; both must leave time to drain within 25 s.
  BALANCER_NOTICE_SECONDS: integerSetting({ min: 0, max: 7 })
    .default(5)
    .describe(
      'Seconds load balancers need to notice that a process stops; must exceed the time they keep idle connections.',
    ),
});

export type ApiSettings = z.output<typeof apiSettings>;

/** For the operator of an api behind a proxy that it was not told of. */
export const NAMES_NO_PROXY =
  'TRUSTED_PROXIES names no proxy, but PUBLIC_URL is https: callers behind a proxy share its address, and five wrong passwords of one lock out all';

export function namesNoProxy(publicUrl: string | null, trustedProxies: string[]): boolean {
  return publicUrl?.startsWith('https:') === true && trustedProxies.length === 0;
}

/** Combinations of settings that are valid alone but dangerous together. */
export function dangersOf(settings: ApiSettings): string[] {
  const dangers = signInFaults(settings);
  if (settings.PORT !== 0 && settings.PORT === settings.METRICS_PORT) {
    dangers.push('PORT, METRICS_PORT: must differ, or everybody who reaches the API can read the metrics');
  }
  if (settings.TRUSTED_PROXIES.some((range) => range.endsWith('/0'))) {
    dangers.push('TRUSTED_PROXIES: trusting every address lets anyone forge theirs and pass the sign-in limits');
  }
  const shadowed = OWN_PATHS.find((path) => `${settings.PROXY_PREFIX}/`.startsWith(`${path}/`));
  if (shadowed !== undefined) dangers.push(`PROXY_PREFIX: ${shadowed} is a path of the service itself`);
  if (/^\/(?:file\/)?bot/.test(settings.PROXY_PREFIX)) {
    dangers.push('PROXY_PREFIX: must not begin like the path of a bot, or logs could not tell tokens from it');
  }
  if (settings.PUBLIC_URL && new URL(settings.PUBLIC_URL).host === new URL(settings.TELEGRAM_API_URL).host) {
    dangers.push('TELEGRAM_API_URL, PUBLIC_URL: must differ, or the service would call itself instead of the platform');
  }
  if (settings.PUBLIC_URL && settings.PROXY_HOST === hostName(new URL(settings.PUBLIC_URL).host)) {
    dangers.push('PUBLIC_URL, PROXY_HOST: must be different hosts, or the proxy is on the host where people sign in');
  }
  return dangers;
}
