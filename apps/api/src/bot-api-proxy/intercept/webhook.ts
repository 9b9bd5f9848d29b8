import type { ErrorCode } from '@flotilla/contract/errors.ts';
import { parseAddress } from '@flotilla/domain/fleet/backend-policy/address.ts';
import {
  forbiddenHostReason,
  forbiddenPinReason,
  parseBackendUrl,
} from '@flotilla/domain/fleet/backend-policy/backend-address.ts';
import {
  CERTIFICATE_BYTES_AT_MOST,
  readCertificate,
} from '@flotilla/domain/fleet/backend-policy/backend-certificate.ts';
import { readBotStatus } from '@flotilla/domain/fleet/bot-list/bot-status.ts';
import { addBot } from '@flotilla/domain/fleet/bots/add-bot.ts';
import { type Bot, DEFAULT_MAX_CONNECTIONS, hasBackend } from '@flotilla/domain/fleet/bots/bot.ts';
import { clearBackend } from '@flotilla/domain/fleet/bots/clear-backend.ts';
import { maskedBackendUrl } from '@flotilla/domain/fleet/bots/masked-backend-url.ts';
import { newestBot } from '@flotilla/domain/fleet/bots/newest-bot.ts';
import { type BackendSettings, setBackend } from '@flotilla/domain/fleet/bots/set-backend.ts';
import { takeBack } from '@flotilla/domain/fleet/bots/take-back.ts';
import { resultOf } from '@flotilla/domain/fleet/bots/validate-token.ts';
import type { Actor } from '@flotilla/domain/people/audit/actor.ts';
import { allowOnce } from '@flotilla/redis/allow-once.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import {
  fileParameter,
  integerParameter,
  type Parameters,
  switchParameter,
} from '@flotilla/telegram/parameters/parameters.ts';
import type { AtServer } from '@flotilla/telegram/platform-server.ts';
import type { Context } from '../../context.ts';
import { type BotApiAnswer, badRequest, type Refusal, tooManyRequests, UNAUTHORIZED } from '../answer.ts';
import type { InterceptedCall, ReadCall } from '../call.ts';
import { webhookInfo } from '../webhook-info.ts';
import { storedKinds } from './answer-intercepted.ts';

const DESCRIPTIONS = {
  set: 'Webhook was set',
  'already-set': 'Webhook is already set',
  deleted: 'Webhook was deleted',
  'already-deleted': 'Webhook is already deleted',
};
const ONCE_PER_MS = 1000;
const MAX_CONNECTIONS = 100;
const SECRET_LIMIT = 256;
const NOT_VOUCHED_FOR: readonly ErrorCode[] = ['token_refused', 'platform_refused', 'bad_request'];

/**
 * Sets the bot's backend and turns proxy mode on; without a URL it does what deleteWebhook does. It checks everything
 * before it changes anything, so that (unlike at the platform) a bad URL leaves the working backend in place.
 */
export async function setWebhook(context: Context, call: InterceptedCall): Promise<BotApiAnswer> {
  const url = urlOf(call);
  if (url === '') return deleteWebhook(context, call);
  const wanted = await readWebhookSettings(context, url, call.parameters);
  return 'refusal' in wanted ? wanted.refusal : takeSettings(context, call.by, call.bot, wanted.settings);
}

/** A token that is not registered, at the server and in the environment that its call named. */
type Stranger = { token: string; at: AtServer };

/**
 * The same for an unknown token: registers its bot if all parameters are right and the platform knows the token.
 * A call without a URL gives no reason to register the bot, so it is passed to the platform.
 */
export async function setWebhookOfStranger(
  context: Context,
  stranger: Stranger,
  call: ReadCall,
): Promise<BotApiAnswer> {
  const url = urlOf(call);
  if (url === '')
    return context.proxy.unknownBots === 'reject' ? UNAUTHORIZED : relayCall(context, stranger, 'setWebhook', call);
  const wanted = await readWebhookSettings(context, url, call.parameters);
  if ('refusal' in wanted) return wanted.refusal;
  const bot = await registerBot(context, call.by, stranger);
  return bot === null ? UNAUTHORIZED : takeSettings(context, call.by, bot, wanted.settings);
}

/** Removes the bot's backend and turns proxy mode off, and removes the webhook of another service at the platform. */
export async function deleteWebhook(context: Context, { bot, by, parameters }: InterceptedCall): Promise<BotApiAnswer> {
  const allowed_updates = storedKinds(parameters);
  const { foreignWebhook } = await readBotStatus(context, bot);
  if (foreignWebhook !== null && !bot.disabled) await takeBack(context, by, bot);
  const outcome = await clearBackend(context, by, bot, {
    dropPending: switchParameter(parameters, 'drop_pending_updates'),
    ...(allowed_updates === undefined ? {} : { allowed_updates }),
  });
  const wasForeign = outcome === 'already-deleted' && foreignWebhook !== null;
  return { ok: true, result: 'true', description: DESCRIPTIONS[wasForeign ? 'deleted' : outcome] };
}

/**
 * Describes the backend as the platform describes a webhook, with the URL exactly as it was set. A program's next call may
 * go to another replica than its setWebhook, so the bot is read anew. Whoever made a bot that was adopted has its token, and
 * sees neither the secrets nor the address in the template of the parent.
 */
export async function getWebhookInfo(context: Context, call: InterceptedCall): Promise<BotApiAnswer> {
  const bot = await newestBot(context, call.bot);
  const status = await readBotStatus(context, bot);
  const isAdopted = bot.parent_bot_id !== null;
  const backend = {
    url: isAdopted ? maskedBackendUrl(bot) : bot.backend_url,
    hasCertificate: bot.backend_certificate !== '',
    ip_address: isAdopted ? '' : bot.backend_ip_address,
    max_connections: bot.max_connections || DEFAULT_MAX_CONNECTIONS,
    error: status.deliveryError,
    state: status.backendState,
  };
  return webhookInfo({
    pending: status.pendingUpdateCount,
    allowed_updates: bot.allowed_updates,
    foreign: status.foreignWebhook,
    backend: hasBackend(bot) ? backend : null,
  });
}

/**
 * Registers the bot of a token. Null if the platform does not know the token; throws FlotillaError if the platform does
 * not say.
 */
async function registerBot(context: Context, by: Actor, { token, at }: Stranger): Promise<Bot | null> {
  try {
    return await addBot(context, by, { ...at, token, source: 'cli' });
  } catch (error) {
    if (!(error instanceof FlotillaError)) throw error;
    if (NOT_VOUCHED_FOR.includes(error.code)) return null;
    if (error.code !== 'conflict') throw error;
    // Another replica has registered the bot in the meantime.
    await context.directory.refresh();
    return context.directory.byToken(token) ?? null;
  }
}

/** Sends a call to the platform with the parameters that were read here, without files. Throws FlotillaError. */
async function relayCall(
  { platform }: Context,
  { token, at }: Stranger,
  method: string,
  { parameters, signal }: ReadCall,
): Promise<BotApiAnswer> {
  const answer = await platform.call(token, method, Object.fromEntries(parameters.values), { signal, at });
  if (answer.outcome === 'refused') {
    const wait = answer.retryAfterS === undefined ? {} : { retryAfterS: answer.retryAfterS };
    return { ok: false, code: answer.errorCode, description: answer.description, ...wait };
  }
  const result = JSON.stringify(resultOf(answer));
  const { description } = answer.outcome === 'ok' ? (JSON.parse(answer.text) as { description?: unknown }) : {};
  return { ok: true, result, ...(typeof description === 'string' ? { description } : {}) };
}

function urlOf({ parameters }: ReadCall): string {
  return parameters.values.get('url') ?? '';
}

/** The settings of a backend, checked; or why they are refused, in the platform's words. */
export async function readWebhookSettings(
  context: Context,
  url: string,
  parameters: Parameters,
): Promise<{ settings: BackendSettings } | { refusal: Refusal }> {
  const pinned = pinnedAddress(parameters);
  if (pinned === null) return { refusal: badRequest('bad webhook: Invalid IP address specified') };
  const refusal = (await urlRefusal(context, url, pinned)) ?? secretRefusal(parameters);
  if (refusal !== null) return { refusal };
  const certificate = certificateOf(parameters);
  if (certificate.refusal !== null) return { refusal: certificate.refusal };
  const allowed_updates = storedKinds(parameters);
  const secret_token = parameters.values.get('secret_token') ?? '';
  const settings = {
    url,
    max_connections: maxConnections(parameters),
    dropPending: switchParameter(parameters, 'drop_pending_updates'),
    ...(secret_token === '' ? {} : { secret_token }),
    ...(allowed_updates === undefined ? {} : { allowed_updates }),
    ...(certificate.pem === '' ? {} : { certificate: certificate.pem }),
    ...(pinned === '' ? {} : { ipAddress: pinned }),
  };
  return { settings };
}

/** Only calls that passed all checks count towards the limit of one a second. */
async function takeSettings(context: Context, by: Actor, bot: Bot, settings: BackendSettings): Promise<BotApiAnswer> {
  if (!(await allowOnce(context.redis, botKeys(bot.id).recentSetWebhook, ONCE_PER_MS))) return tooManyRequests(1);
  const outcome = await setBackend(context, by, bot, settings);
  return { ok: true, result: 'true', description: DESCRIPTIONS[outcome] };
}

/** `pinned`: the address that is called instead of those of the URL's host; '' if there is none. */
async function urlRefusal({ backendPolicy }: Context, text: string, pinned: string): Promise<Refusal | null> {
  const url = parseBackendUrl(text);
  if (url === null) return badRequest('invalid webhook URL specified');
  const reason =
    pinned === '' ? await forbiddenHostReason(url, backendPolicy) : forbiddenPinReason(url, pinned, backendPolicy);
  return reason === null ? null : badRequest(`bad webhook: ${reason}`);
}

/** `ip_address` in its usual notation; '' if there is none, null if it is not an address. */
function pinnedAddress(parameters: Parameters): string | null {
  const wanted = parameters.values.get('ip_address') ?? '';
  return wanted === '' ? '' : (parseAddress(wanted)?.toString() ?? null);
}

function secretRefusal(parameters: Parameters): Refusal | null {
  const secret = parameters.values.get('secret_token') ?? '';
  if (secret.length > SECRET_LIMIT) return badRequest('secret token is too long');
  return /^[A-Za-z0-9_-]*$/.test(secret) ? null : badRequest('secret token contains unallowed characters');
}

function maxConnections(parameters: Parameters): number {
  const wanted = integerParameter(parameters, 'max_connections', DEFAULT_MAX_CONNECTIONS);
  return Math.min(Math.max(wanted, 1), MAX_CONNECTIONS);
}

/** PEM; '' if there is none. */
function certificateOf(parameters: Parameters): { pem: string; refusal: Refusal | null } {
  const file = fileParameter(parameters, 'certificate');
  if (file === undefined || file.bytes === 0) return { pem: '', refusal: null };
  if (file.bytes > CERTIFICATE_BYTES_AT_MOST) {
    return { pem: '', refusal: badRequest(`certificate size is too big (${file.bytes} bytes)`) };
  }
  const read = readCertificate(file.content);
  switch (read.outcome) {
    case 'read':
      return { pem: read.pem, refusal: null };
    case 'unreadable':
      return { pem: '', refusal: badRequest('bad webhook: the certificate cannot be read') };
    case 'too-many':
      return { pem: '', refusal: badRequest('bad webhook: there are too many certificates') };
  }
}
