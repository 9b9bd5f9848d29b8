import { resolve } from 'node:path';
import { type ApiSettings, apiSettings, dangersOf } from '@flotilla/domain/startup/api-settings.ts';
import { serviceConfig } from '@flotilla/domain/startup/service-config.ts';
import { signInConfig } from '@flotilla/domain/startup/sign-in-settings.ts';
import { readSettings, SettingsError } from '@flotilla/runtime/env.ts';

/** The built console; without an index.html there is none. */
const CONSOLE = resolve(import.meta.dirname, '../../console/dist');

export type ApiConfig = ReturnType<typeof nest>;

/** Reads the api's configuration; throws SettingsError naming every fault and every dangerous pair of settings. */
export function readConfig(env?: Record<string, string | undefined>): ApiConfig {
  const settings = readSettings(apiSettings, env);
  const faults = dangersOf(settings);
  if (faults.length > 0) throw new SettingsError(`These settings are dangerous:\n  ${faults.join('\n  ')}`);
  return nest(settings);
}

function nest(settings: ApiSettings) {
  return {
    ...serviceConfig(settings, settings.API_DATABASE_CONNECTIONS),
    http: {
      host: settings.HOST,
      port: settings.PORT,
      trustedProxies: settings.TRUSTED_PROXIES,
      /** The limit of this process; a connection that waits in a poll counts. */
      maxConnections: settings.MAX_CONNECTIONS,
      maxConnectionsPerAddress: settings.MAX_CONNECTIONS_PER_ADDRESS,
      /** How long load balancers may take to notice that this process leaves. */
      balancerNoticeMs: settings.BALANCER_NOTICE_SECONDS * 1000,
    },
    live: { streams: settings.LIVE_STREAMS, streamsPerAccount: settings.LIVE_STREAMS_PER_ACCOUNT },
    labelsMax: settings.LABELS_MAX,
    mcpWritesPerMinute: settings.MCP_WRITES_PER_MINUTE,
    admin: {
      username: settings.ADMIN_USERNAME,
      password: settings.ADMIN_PASSWORD,
      apiKey: settings.ADMIN_API_KEY,
    },
    signIn: signInConfig(settings),
    sandbox_url: settings.SANDBOX_URL,
    consoleDir: CONSOLE,
    proxy: {
      prefix: settings.PROXY_PREFIX,
      /** In the form of `hostName`; null: the proxy answers on every host. */
      host: settings.PROXY_HOST ?? null,
      unknownBots: settings.PROXY_UNKNOWN_BOTS,
      autoRegisterBots: settings.AUTO_REGISTER_BOTS,
    },
  };
}
