import { createHmac, timingSafeEqual } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { botKeys } from '@flotilla/redis/keys.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Fields } from '@flotilla/telegram/platform-fields.ts';
import type { Bot } from './bot.ts';
import type { BotDeps } from './bot-deps.ts';
import { askedKinds } from './named-kinds.ts';
import { resultOf } from './validate-token.ts';

export type WebhookDeps = Pick<BotDeps, 'platform' | 'publicUrl' | 'extraKinds' | 'servers'>;

type BaseDeps = Pick<BotDeps, 'publicUrl' | 'servers'>;

/** The platform's limit of concurrent pushes for one bot. */
const CONNECTIONS = 40;
const WAIT_AT_MOST_S = 3;
/** The platform retries an update within two minutes, and upkeep checks the webhook once a minute. */
const REFUSED_LATELY_MS = 150_000;
const ASK_AGAIN_AFTER_MS = 24 * 3_600_000;

/**
 * The secret of the platform's pushes. It is derived from the bot's token, so it is never stored. Each server of a bot that moves has
 * another one: ids of the server before must not be taken for those of the present one.
 */
function platformSecret({ token, registration_id: registration, moves = 0 }: Bot): string {
  const place = `platform-webhook:${registration}${moves > 0 ? `:${moves}` : ''}`;
  return createHmac('sha256', token).update(place).digest('base64url');
}

/** Compares in constant time. */
export function isPlatformSecret(bot: Bot, given: string): boolean {
  const wanted = Buffer.from(platformSecret(bot));
  const found = Buffer.from(given);
  return wanted.length === found.length && timingSafeEqual(wanted, found);
}

/** The URL to which the platform pushes. Throws FlotillaError('bad_request') without a PUBLIC_URL. */
function platformWebhookUrl(deps: BaseDeps, bot: Pick<Bot, 'id' | 'upstream'>): string {
  const base = baseForPushes(deps, bot);
  if (base === null) {
    throw new FlotillaError('bad_request', 'webhook_mode needs the setting PUBLIC_URL', {
      details: [{ path: 'webhook_mode', reason: 'needs the setting PUBLIC_URL' }],
    });
  }
  return `${base}/telegram/${bot.id}`;
}

/** The base URL at which the bot's server reaches us; null if it cannot. */
export function baseForPushes({ publicUrl, servers }: BaseDeps, { upstream }: Pick<Bot, 'upstream'>): string | null {
  return servers.get(upstream)?.webhook || publicUrl;
}

/** Tells the platform to push updates of all kinds to us, including those that wait there. Throws FlotillaError. */
export async function setPlatformWebhook(deps: WebhookDeps, bot: Bot): Promise<void> {
  const url = platformWebhookUrl(deps, bot);
  const settings = {
    url,
    secret_token: platformSecret(bot),
    allowed_updates: askedKinds(deps, bot),
    max_connections: CONNECTIONS,
    drop_pending_updates: false,
  };
  const answer = await deps.platform.call(bot.token, 'setWebhook', settings, { at: bot });
  const waitS = answer.outcome === 'refused' && answer.errorCode === 429 ? (answer.retryAfterS ?? 1) : null;
  if (waitS === null || waitS > WAIT_AT_MOST_S) {
    resultOf(answer);
    return;
  }
  // The platform accepts one setWebhook per second, and a bot may be disabled and enabled again faster than that.
  await delay(waitS * 1000);
  resultOf(await deps.platform.call(bot.token, 'setWebhook', settings, { at: bot }));
}

/** Removes the webhook at the platform, which then keeps updates for a day. Throws FlotillaError. */
export async function removePlatformWebhook(deps: Pick<BotDeps, 'platform'>, bot: Bot): Promise<void> {
  resultOf(await deps.platform.call(bot.token, 'deleteWebhook', { drop_pending_updates: false }, { at: bot }));
}

/**
 * The result of a check of the webhook at the platform. `renewed`: it was ours, and was set once more for further kinds, in vain.
 * `host` is that of somebody else's webhook, with its port.
 */
export type CheckedWebhook = { outcome: 'ours' | 'renewed' | 'repaired' } | { outcome: 'foreign'; host: string };

/**
 * Checks that the webhook at the platform is ours and asks for all kinds that readers named, and sets it again if not.
 * A webhook that leads to another service stays: two services that repair it would take it from each other for ever.
 * Throws FlotillaError.
 */
export async function repairPlatformWebhook(
  deps: WebhookDeps & Pick<BotDeps, 'clock' | 'redis'>,
  bot: Bot,
): Promise<CheckedWebhook> {
  const { ignoredKinds } = botKeys(bot.id);
  const wanted = askedKinds(deps, bot);
  const lacking = ({ allowed_updates: kinds }: Fields) =>
    wanted.filter((kind) => !(Array.isArray(kinds) && kinds.includes(kind))).join(',');
  const info = await webhookAtPlatform(deps, bot);
  const host = hostOf(info.url);
  // A URL with our path may be ours from before PUBLIC_URL was changed.
  if (host !== null && !String(info.url).endsWith(`/telegram/${bot.id}`)) return { outcome: 'foreign', host };
  const isOurs = isOurWebhook(info, platformWebhookUrl(deps, bot), deps.clock.nowMs());
  if (isOurs && lacking(info) === ((await deps.redis.commands.get(ignoredKinds)) ?? '')) return { outcome: 'ours' };
  await setPlatformWebhook(deps, bot);
  // A platform does not tell the names that it does not know. It is asked again for them once a day.
  const ignored = lacking(await webhookAtPlatform(deps, bot));
  await deps.redis.commands.set(ignoredKinds, ignored, 'PX', ASK_AGAIN_AFTER_MS);
  return { outcome: isOurs && ignored === lacking(info) ? 'renewed' : 'repaired' };
}

async function webhookAtPlatform({ platform }: Pick<BotDeps, 'platform'>, bot: Bot): Promise<Fields> {
  return (resultOf(await platform.call(bot.token, 'getWebhookInfo', {}, { at: bot })) ?? {}) as Fields;
}

/**
 * Removes the webhook at the platform if it leads to us; one that leads elsewhere stays, and its host is returned.
 * Throws FlotillaError.
 */
export async function removeOurWebhook(
  deps: BaseDeps & Pick<WebhookDeps, 'platform'>,
  bot: Bot,
): Promise<{ outcome: 'none' | 'removed' } | { outcome: 'foreign'; host: string }> {
  const { url } = await webhookAtPlatform(deps, bot);
  const host = hostOf(url);
  if (host === null) return { outcome: 'none' };
  if (baseForPushes(deps, bot) === null || url !== platformWebhookUrl(deps, bot)) return { outcome: 'foreign', host };
  await removePlatformWebhook(deps, bot);
  return { outcome: 'removed' };
}

/** The host of the webhook of another service at the platform; null if there is none. Throws FlotillaError. */
export async function foreignWebhookHost(
  deps: BaseDeps & Pick<WebhookDeps, 'platform'>,
  bot: Bot,
): Promise<string | null> {
  const { url } = await webhookAtPlatform(deps, bot);
  return baseForPushes(deps, bot) !== null && url === platformWebhookUrl(deps, bot) ? null : hostOf(url);
}

function hostOf(url: unknown): string | null {
  return (typeof url === 'string' && URL.parse(url)?.host) || null;
}

/** Compares getWebhookInfo with what setPlatformWebhook asks for, apart from the kinds. */
export function isOurWebhook(info: Fields, url: string, nowMs: number): boolean {
  return info.url === url && (info.max_connections ?? CONNECTIONS) === CONNECTIONS && !wasRefusedLately(info, nowMs);
}

/** The platform does not show the secret. Only our refusals of its pushes reveal that a different one is set. */
function wasRefusedLately({ last_error_message: message, last_error_date: dateS }: Fields, nowMs: number): boolean {
  // The platform keeps the last error after the webhook was set correctly again, so an old error means nothing.
  if (typeof message !== 'string' || typeof dateS !== 'number' || nowMs - dateS * 1000 > REFUSED_LATELY_MS)
    return false;
  return /\b401\b|\bunauthorized\b/i.test(message);
}
