import type { Operation } from '@flotilla/contract/operation.ts';
import type { Caller } from '@flotilla/domain/accounts/caller.ts';
import type { Actor } from '@flotilla/domain/audit/actor.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Request, Response } from 'express';
import type { Context } from '../context.ts';
import { hasBearer } from './bearer.ts';

/**
 * Who makes the request. A Bearer header decides alone, whatever the cookie says; else the session does.
 * null for public operations only; throws 'unauthorized'.
 */
export async function authenticate(
  { auth }: Context,
  operation: Pick<Operation, 'role'>,
  request: Request,
  response: Response,
): Promise<Caller | null> {
  if (operation.role === 'public') {
    await auth.openSession(request, response);
    return null;
  }
  const caller = hasBearer(request)
    ? await auth.callerByBearer(request)
    : await auth.callerBySession(request, response);
  if (caller === null) throw new FlotillaError('unauthorized', 'A valid API key or session is needed');
  // The request log names the caller even if the request is refused later.
  response.locals.caller = caller;
  return caller;
}

/** The actor of a call, for the audit log; null while nobody is signed in. */
export function actorOf(caller: Caller | null, address: string | null): Actor {
  if (caller === null) return { kind: 'nobody', address };
  const { account, apiKey } = caller;
  return { kind: 'account', accountId: account.id, username: account.username, keyId: apiKey?.id ?? null, address };
}
