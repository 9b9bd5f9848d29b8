import { resultOf } from '@flotilla/domain/bots/validate-token.ts';
import type { BotApiAnswer } from '../answer.ts';
import type { ProxyDeps } from '../proxy-deps.ts';
import type { ReadCall } from './intercepted-call.ts';

/** Makes a call at the platform whose body was read here already; files are left out. Throws FlotillaError. */
export async function relayCall(
  { platform }: ProxyDeps,
  token: string,
  method: string,
  { parameters, signal }: ReadCall,
): Promise<BotApiAnswer> {
  const answer = await platform.call(token, method, Object.fromEntries(parameters.values), { signal });
  if (answer.outcome === 'refused') {
    const wait = answer.retryAfterS === undefined ? {} : { retryAfterS: answer.retryAfterS };
    return { ok: false, code: answer.errorCode, description: answer.description, ...wait };
  }
  const result = JSON.stringify(resultOf(answer));
  const { description } = answer.outcome === 'ok' ? (JSON.parse(answer.text) as { description?: unknown }) : {};
  return { ok: true, result, ...(typeof description === 'string' ? { description } : {}) };
}
