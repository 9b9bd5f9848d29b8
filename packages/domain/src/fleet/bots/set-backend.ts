import type { Actor } from '../../people/audit/actor.ts';
import { type Bot, DEFAULT_MAX_CONNECTIONS } from './bot.ts';
import type { BotDeps } from './bot-deps.ts';
import { changeBot } from './change-bot.ts';
import { checkBackendUrl } from './check-changes.ts';
import { newestBot } from './newest-bot.ts';

export type BackendSettings = {
  url: string;
  secretToken?: string;
  /** 1–100; the default is 40. */
  maxConnections?: number;
  /** undefined: unchanged; null: the default set. */
  allowedUpdates?: string[] | null;
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
  const { allowedUpdates } = wanted;
  const changes = {
    backendUrl: wanted.url,
    secretToken: wanted.secretToken ?? '',
    maxConnections: wanted.maxConnections ?? DEFAULT_MAX_CONNECTIONS,
    backendCertificate: wanted.certificate ?? '',
    backendIpAddress: wanted.ipAddress ?? '',
    proxyEnabled: true,
    ...(allowedUpdates === undefined ? {} : { allowedUpdates }),
  };
  checkBackendUrl(deps, wanted.url);
  const bot = await newestBot(deps, known);
  if (!wanted.dropPending && isSet(bot, changes)) {
    if (allowedUpdates !== undefined && !sameKinds(bot.allowedUpdates, allowedUpdates)) {
      await changeBot(deps, by, bot.id, { allowedUpdates });
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

type Settings = Pick<Bot, 'backendUrl' | 'secretToken' | 'maxConnections' | 'backendCertificate' | 'backendIpAddress'>;

function isSet(bot: Bot, wanted: Settings) {
  return (
    bot.proxyEnabled &&
    bot.backendUrl === wanted.backendUrl &&
    bot.secretToken === wanted.secretToken &&
    bot.maxConnections === wanted.maxConnections &&
    bot.backendIpAddress === wanted.backendIpAddress &&
    bot.backendCertificate === '' &&
    wanted.backendCertificate === ''
  );
}

/** True if two stored values of allowed_updates name the same kinds, in any order; null is the default set. */
export function sameKinds(left: string[] | null, right: string[] | null): boolean {
  if (left === null || right === null) return left === right;
  return left.every((kind) => right.includes(kind)) && right.every((kind) => left.includes(kind));
}
