import type { Actor } from '../../people/audit/actor.ts';
import { type Bot, DEFAULT_MAX_CONNECTIONS } from './bot.ts';
import type { BotDeps } from './bot-deps.ts';
import { changeBot } from './change-bot.ts';
import { checkBackendUrl } from './check-changes.ts';
import { newestBot } from './newest-bot.ts';

export type BackendSettings = {
  url: string;
  secret_token?: string;
  /** 1–100; the default is 40. */
  max_connections?: number;
  /** undefined: unchanged; null: the default set. */
  allowed_updates?: string[] | null;
  dropPending: boolean;
  /** PEM; absent if there is none. */
  certificate?: string;
  /** The address to call instead of looking the URL's host up; absent if there is none. */
  ipAddress?: string;
};

/**
 * Implements setWebhook: sets the bot's backend and turns proxy mode on. As at the platform, repeated settings change
 * only allowed_updates. Throws FlotillaError('bad_request') for an address that is not allowed.
 */
export async function setBackend(
  deps: BotDeps,
  by: Actor,
  known: Bot,
  wanted: BackendSettings,
): Promise<'set' | 'already-set'> {
  const { allowed_updates } = wanted;
  const changes = {
    backend_url: wanted.url,
    secret_token: wanted.secret_token ?? '',
    max_connections: wanted.max_connections ?? DEFAULT_MAX_CONNECTIONS,
    backend_certificate: wanted.certificate ?? '',
    backend_ip_address: wanted.ipAddress ?? '',
    proxy_enabled: true,
    ...(allowed_updates === undefined ? {} : { allowed_updates }),
  };
  checkBackendUrl(deps, wanted.url);
  const bot = await newestBot(deps, known);
  if (!wanted.dropPending && isSet(bot, changes)) {
    if (allowed_updates !== undefined && !sameKinds(bot.allowed_updates, allowed_updates)) {
      await changeBot(deps, by, bot.id, { allowed_updates });
    }
    return 'already-set';
  }
  await changeBot(deps, by, bot.id, changes, {
    handOver: true,
    dropPending: wanted.dropPending,
    retryNow: true,
  });
  return 'set';
}

type Settings = Pick<
  Bot,
  'backend_url' | 'secret_token' | 'max_connections' | 'backend_certificate' | 'backend_ip_address'
>;

function isSet(bot: Bot, wanted: Settings) {
  return (
    bot.proxy_enabled &&
    bot.backend_url === wanted.backend_url &&
    bot.secret_token === wanted.secret_token &&
    bot.max_connections === wanted.max_connections &&
    bot.backend_ip_address === wanted.backend_ip_address &&
    bot.backend_certificate === '' &&
    wanted.backend_certificate === ''
  );
}

/** True if two stored values of allowed_updates name the same kinds, in any order; null is the default set. */
export function sameKinds(left: string[] | null, right: string[] | null): boolean {
  if (left === null || right === null) return left === right;
  return left.every((kind) => right.includes(kind)) && right.every((kind) => left.includes(kind));
}
