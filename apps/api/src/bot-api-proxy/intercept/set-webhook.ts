import { X509Certificate } from 'node:crypto';
import { forbiddenHostReason, parseBackendUrl } from '@flotilla/domain/bots/backend-address.ts';
import { DEFAULT_MAX_CONNECTIONS } from '@flotilla/domain/bots/bot.ts';
import { setBackend } from '@flotilla/domain/bots/set-backend.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import {
  fileParameter,
  integerParameter,
  type Parameters,
  switchParameter,
} from '@flotilla/telegram/parameters/parameters.ts';
import type { BotApiAnswer, Refusal } from '../answer.ts';
import type { ProxyDeps } from '../proxy-deps.ts';
import { badRequest } from '../refusals.ts';
import { deleteWebhook } from './delete-webhook.ts';
import type { InterceptedCall } from './intercepted-call.ts';
import { storedKinds } from './stored-kinds.ts';

const DESCRIPTIONS = { set: 'Webhook was set', 'already-set': 'Webhook is already set' };
const ONCE_PER_MS = 1000;
const MAX_CONNECTIONS = 100;
const SECRET_LIMIT = 256;
const CERTIFICATE_LIMIT = 3 * 1024 * 1024;

/**
 * Makes the URL the bot's backend and turns proxy mode on; without a URL it is deleteWebhook. Everything is checked
 * before anything changes, so that (unlike at the platform) a bad URL leaves the working backend in place.
 */
export async function setWebhook(deps: ProxyDeps, call: InterceptedCall): Promise<BotApiAnswer> {
  const { bot, parameters } = call;
  const url = parameters.values.get('url') ?? '';
  if (url === '') return deleteWebhook(deps, call);
  if (!(await takeTurn(deps, bot.id))) return tooSoon();
  const refusal = (await urlRefusal(deps, url)) ?? secretRefusal(parameters);
  if (refusal !== null) return refusal;
  const certificate = readCertificate(parameters);
  if (certificate.refusal !== null) return certificate.refusal;
  const allowedUpdates = storedKinds(parameters);
  const secretToken = parameters.values.get('secret_token') ?? '';
  const outcome = await setBackend(deps, bot, {
    url,
    maxConnections: maxConnections(parameters),
    dropPending: switchParameter(parameters, 'drop_pending_updates'),
    ...(secretToken === '' ? {} : { secretToken }),
    ...(allowedUpdates === undefined ? {} : { allowedUpdates }),
    ...(certificate.pem === '' ? {} : { certificate: certificate.pem }),
  });
  return { ok: true, result: 'true', description: DESCRIPTIONS[outcome] };
}

/** Once a second per bot, whichever replica is asked. */
async function takeTurn(deps: ProxyDeps, botId: number): Promise<boolean> {
  const taken = await deps.redis.commands.set(botKeys(botId).setWebhookTurn, '1', 'PX', ONCE_PER_MS, 'NX');
  return taken === 'OK';
}

function tooSoon(): Refusal {
  return { ok: false, code: 429, description: 'Too Many Requests: retry after 1', retryAfterS: 1 };
}

async function urlRefusal(deps: ProxyDeps, text: string): Promise<Refusal | null> {
  const url = parseBackendUrl(text);
  if (url === null) return badRequest('invalid webhook URL specified');
  const reason = await forbiddenHostReason(url.hostname, deps.backendAllowedCidrs);
  return reason === null ? null : badRequest(`bad webhook: ${reason}`);
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

type Certificate = { pem: string; refusal: Refusal | null };

/** PEM, or DER turned into it; none is ''. */
function readCertificate(parameters: Parameters): Certificate {
  const file = fileParameter(parameters, 'certificate');
  if (file === undefined || file.bytes === 0) return { pem: '', refusal: null };
  if (file.bytes > CERTIFICATE_LIMIT) {
    return { pem: '', refusal: badRequest(`certificate size is too big (${file.bytes} bytes)`) };
  }
  try {
    const certificate = new X509Certificate(file.content);
    const text = file.content.toString('latin1');
    return { pem: text.includes('-----BEGIN') ? text : certificate.toString(), refusal: null };
  } catch {
    return { pem: '', refusal: badRequest('bad webhook: the certificate cannot be read') };
  }
}
