import { writtenMethod } from '@flotilla/contract/bot-api/methods.ts';
import type { ProgramRefusalReason } from '@flotilla/contract/program-refusals.ts';
import { countCall } from '@flotilla/domain/delivery/programs/count-call.ts';
import type { ActiveToken } from '@flotilla/domain/fleet/bots/active-program.ts';
import type { ProgramCredential } from '@flotilla/domain/fleet/bots/program-credential.ts';
import type { Context } from '../../context.ts';
import { forbidden, type Refusal, tooManyRequests } from '../answer.ts';
import { type MethodCall, type RunningProxy, refuse } from '../call.ts';

/** Why a program's token is refused. `chatId`: the chat that is not one of its chats. */
export type Refused = { reason: ProgramRefusalReason; refusal: Refusal; chatId?: number | null };

/** A 429 says how long to wait, which would make each one a different refusal. */
const TOO_MANY = 'Too Many Requests';
const PLAIN_METHOD = /^\w{1,64}$/;

/** Refuses a call, and keeps the refusal for people to read (`GET /api/programs/refusals`). */
export function refuseToken(proxy: RunningProxy, call: MethodCall, found: ProgramCredential, refused: Refused): void {
  recordRefusal(proxy.context, call.method, found, refused);
  refuse(proxy, call, refused.refusal);
}

export function recordRefusal(
  { programRefusals }: Pick<Context, 'programRefusals'>,
  method: string,
  found: ProgramCredential,
  { reason, refusal, chatId = null }: Refused,
): void {
  const description = reason === 'rate' ? TOO_MANY : refusal.description;
  programRefusals.record(found, { method: PLAIN_METHOD.test(method) ? method : '', reason, description, chatId });
}

/** The refusal of a method, or (with `why`) of what this call would do by it. */
export function notAllowed(reason: 'method' | 'chat', method: string, why: string | null): Refused {
  // A client may send anything as a method.
  const shown = PLAIN_METHOD.test(method) ? writtenMethod(method) : 'this method';
  return { reason, refusal: forbidden(`this token may not call ${shown}${why === null ? '' : `: ${why}`}`) };
}

/** Counts a call of a token with a rate; the refusal if there were too many. Rejects while Redis is away. */
export async function refusalByRate(
  context: Pick<Context, 'redis' | 'clock'>,
  token: ActiveToken,
): Promise<Refusal | null> {
  const { retryAfterS } = await countCall(context, token);
  return retryAfterS === 0 ? null : tooManyRequests(retryAfterS);
}
