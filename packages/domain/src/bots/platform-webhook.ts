import { createHmac, timingSafeEqual } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { FlotillaError } from '@flotilla/contract/flotilla-error.ts';
import { UPDATE_KINDS } from '@flotilla/telegram/update-kinds.ts';
import type { Bot } from './bot.ts';
import type { BotDeps } from './bot-deps.ts';
import { resultOf } from './validate-token.ts';

type WebhookDeps = Pick<BotDeps, 'platform' | 'publicUrl'>;

/** Pushes of one bot that the platform may have under way at once. */
const CONNECTIONS = 40;
const WAIT_AT_MOST_S = 3;

/** What the platform must send along; only who knows the bot's token can make it, so that it is stored nowhere. */
export function platformSecret(bot: Bot): string {
  return createHmac('sha256', bot.token).update(`platform-webhook:${bot.generation}`).digest('base64url');
}

/** Compares in constant time. */
export function isPlatformSecret(bot: Bot, given: string): boolean {
  const wanted = Buffer.from(platformSecret(bot));
  const found = Buffer.from(given);
  return wanted.length === found.length && timingSafeEqual(wanted, found);
}

/** Where the platform pushes this bot's updates. Throws FlotillaError('bad_request') without a PUBLIC_URL. */
export function platformWebhookUrl(deps: Pick<BotDeps, 'publicUrl'>, bot: { id: number }): string {
  if (deps.publicUrl === null) {
    throw new FlotillaError('bad_request', 'webhook_mode needs the setting PUBLIC_URL', {
      details: [{ path: 'webhook_mode', reason: 'needs the setting PUBLIC_URL' }],
    });
  }
  return `${deps.publicUrl}/telegram/${bot.id}`;
}

/** Tells the platform to push this bot's updates to us, all kinds; what waits there comes too. Throws FlotillaError. */
export async function setPlatformWebhook(deps: WebhookDeps, bot: Bot): Promise<void> {
  const url = platformWebhookUrl(deps, bot);
  const settings = {
    url,
    secret_token: platformSecret(bot),
    allowed_updates: UPDATE_KINDS,
    max_connections: CONNECTIONS,
    drop_pending_updates: false,
  };
  const answer = await deps.platform.call(bot.token, 'setWebhook', settings);
  const waitS = answer.outcome === 'refused' && answer.errorCode === 429 ? (answer.retryAfterS ?? 1) : null;
  if (waitS === null || waitS > WAIT_AT_MOST_S) {
    resultOf(answer);
    return;
  }
  // The platform takes one setWebhook a second; disabling and enabling may be quicker than that.
  await delay(waitS * 1000);
  resultOf(await deps.platform.call(bot.token, 'setWebhook', settings));
}

/** Takes the webhook away at the platform, which keeps what comes for a day. Throws FlotillaError. */
export async function removePlatformWebhook(deps: Pick<BotDeps, 'platform'>, bot: Bot): Promise<void> {
  resultOf(await deps.platform.call(bot.token, 'deleteWebhook', { drop_pending_updates: false }));
}

/** Whether the platform's webhook is ours; one that somebody changed is set anew. Throws FlotillaError. */
export async function repairPlatformWebhook(deps: WebhookDeps, bot: Bot): Promise<'ours' | 'repaired'> {
  const answer = resultOf(await deps.platform.call(bot.token, 'getWebhookInfo'));
  const info = (answer ?? {}) as { url?: unknown; allowed_updates?: unknown };
  const kinds = Array.isArray(info.allowed_updates) ? info.allowed_updates : [];
  const allKinds = UPDATE_KINDS.every((kind) => kinds.includes(kind));
  if (info.url === platformWebhookUrl(deps, bot) && allKinds) return 'ours';
  await setPlatformWebhook(deps, bot);
  return 'repaired';
}
