import type { BotResource } from '@flotilla/contract/bots.ts';

const DEFAULT_CONNECTIONS = 40;

const PACES = [
  'per_second',
  'per_chat_second',
  'per_group_minute',
] as const satisfies readonly (keyof BotResource['pace'])[];
/** How fast the outbox sends, as it is typed. */
export type Pace = Record<(typeof PACES)[number], string>;

/** The settings as the form holds them. A secret that is null stays as it is. */
export type Settings = Pick<
  BotResource,
  | 'name'
  | 'description'
  | 'webhook_mode'
  | 'proxy_enabled'
  | 'backend_url'
  | 'long_poll_enabled'
  | 'manage_enabled'
  | 'flood'
> & {
  max_connections: string;
  silent_after_s: string;
  pace: Pace;
  secret_token: string | null;
  allowed_updates: readonly string[] | null;
};

/** What is wrong with a setting, or with a part of one. */
export type FaultOf = (name: keyof Settings | `pace.${keyof Pace}`) => string | undefined;

export function settingsOf(bot: BotResource): Settings {
  const { name, description, webhook_mode, proxy_enabled, backend_url, long_poll_enabled, manage_enabled, flood } = bot;
  return {
    ...{ name, description, webhook_mode, proxy_enabled, backend_url, long_poll_enabled, manage_enabled, flood },
    max_connections: String(bot.max_connections || DEFAULT_CONNECTIONS),
    silent_after_s: String(bot.silent_after_s),
    pace: Object.fromEntries(PACES.map((name) => [name, String(bot.pace[name])])) as Pace,
    secret_token: null,
    allowed_updates: bot.allowed_updates ?? null,
  };
}

/** The changes as the api takes them. Numbers stay text, so that the api refuses an empty one. */
export function inputOf({
  max_connections: connections,
  silent_after_s: silentAfter,
  allowed_updates: kinds,
  secret_token,
  ...rest
}: Partial<Settings>) {
  return {
    ...rest,
    ...(typeof secret_token === 'string' ? { secret_token } : {}),
    ...(connections === undefined ? {} : { max_connections: connections }),
    ...(silentAfter === undefined ? {} : { silent_after_s: silentAfter }),
    ...(kinds === undefined ? {} : { allowed_updates: kinds === null ? null : [...kinds] }),
  };
}
