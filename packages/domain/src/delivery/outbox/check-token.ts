import { writtenMethod } from '@flotilla/contract/bot-api/methods.ts';
import { PRIORITIES, type Priority } from '@flotilla/contract/outbox.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { UpstreamServers } from '@flotilla/runtime/upstreams-setting.ts';
import type { Fields } from '@flotilla/telegram/platform-fields.ts';
import type { ProgramCredential } from '../../fleet/bots/program-credential.ts';
import { uploadsAt } from '../../fleet/upstreams/server-of-name.ts';
import { checkCall, limitsOf, toRead } from '../programs/check-call.ts';
import type { CountedCall } from '../programs/count-call.ts';
import { isMethodAllowed } from '../programs/token-methods.ts';
import { takesConnection } from './sendable.ts';

/** Throws 'too_many_requests' if the token has a rate and has used it up. */
export function requireRate({ retryAfterS }: CountedCall): void {
  if (retryAfterS === 0) return;
  throw new FlotillaError('too_many_requests', `Too Many Requests: retry after ${retryAfterS}`, { retryAfterS });
}

/**
 * The parameters of a call that a token may make, as for its calls through the proxy: what it may not name is refused or left out.
 * Throws 'forbidden'.
 */
export function allowedParams(
  { servers }: { servers: UpstreamServers },
  { bot, program, token }: ProgramCredential,
  method: string,
  params: Fields,
): Fields {
  const name = method.toLowerCase();
  if (!isMethodAllowed(token, name)) throw refused(name);
  if (!program.enabled) throw new FlotillaError('forbidden', 'The program is paused');
  // The history may not have the messages yet that the call names, so their topics cannot be told.
  if (token.threads !== null) throw refused(name, 'a token of some topics cannot hand it over');
  const limits = limitsOf(token, uploadsAt(servers, bot));
  if (toRead(limits, name) === 'nothing') return params;
  const seen = new Map(Object.entries(params).map(([key, value]) => [key, [textOf(value)]]));
  const checked = checkCall(limits, name, seen);
  if (checked.outcome === 'refused') throw refused(name, checked.why);
  const allowed = Object.entries(params).flatMap(([key, value]) => {
    const written = checked.parameters.get(key);
    if (written === undefined) return [];
    return [[key, typeof value === 'string' ? written : value] as const];
  });
  // A token that is limited to chats leads through no business account, also where the chat is known by one alone.
  const ofBot = limits.chats === null || !takesConnection(method) ? {} : { business_connection_id: '' };
  return { ...Object.fromEntries(allowed), ...ofBot };
}

/** The priority of what a token hands over: its own at the most. Throws 'forbidden' for a higher one. */
export function allowedPriority({ program, token }: ProgramCredential, wanted: Priority | undefined): Priority {
  const highest = lower(program.priority, token.priority ?? program.priority);
  if (wanted === undefined) return highest;
  if (lower(wanted, highest) === wanted) return wanted;
  throw new FlotillaError('forbidden', `The priority of this token is ${highest} at the most`);
}

function lower(one: Priority, other: Priority): Priority {
  return PRIORITIES.indexOf(one) >= PRIORITIES.indexOf(other) ? one : other;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function refused(lowerCaseMethod: string, why = ''): FlotillaError {
  const call = /^\w{1,64}$/.test(lowerCaseMethod) ? writtenMethod(lowerCaseMethod) : 'this method';
  return new FlotillaError('forbidden', `This token may not call ${call}${why === '' ? '' : `: ${why}`}`);
}
