import type { Operation } from '@flotilla/contract/operation.ts';
import { isUsableKey } from '@flotilla/domain/people/accounts/api-key.ts';
import { type Caller, callerOf } from '@flotilla/domain/people/accounts/caller.ts';
import type { CredentialCache } from '@flotilla/domain/people/accounts/credential-cache.ts';
import type { Actor, ActorRequest } from '@flotilla/domain/people/audit/actor.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { sha256Hex } from '@flotilla/runtime/digest.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Request, Response } from 'express';
import passport from 'passport';
import { Strategy } from 'passport-http-bearer';
import { noteKnownSender } from '../http/known-sender.ts';
import { callerOfSession, hasSessionCookie, sessionMiddleware } from './session.ts';

/** The two ways in which a caller proves who they are. */
export interface Authentication {
  /** The caller by the API key in the Authorization header; null if the key is unknown, disabled or expired. */
  callerByBearer(request: Request, response: Response): Promise<Caller | null>;
  callerBySession(request: Request, response: Response): Promise<Caller | null>;
  /** Attaches a session and does not look up its account; sign-in needs only that. */
  openSession(request: Request, response: Response): Promise<void>;
}

/** The dependencies of the lookup of a key. */
type KeyUse = { credentials: CredentialCache; clock: Clock; recordKeyUse: (keyId: number) => void };

export function authentication(
  keys: KeyUse,
  redis: RedisHandles,
  config: { encryptionKey: string; publicUrl: string | null },
): Authentication {
  const attachSession = sessionMiddleware(redis, keys.clock, config);
  // The strategy also takes keys from the query and the body, but sees neither: Express parses no query, and bodies are
  // read later. A key in a URL would be logged.
  const authenticator = new passport.Passport().use(
    new Strategy((key, done) => {
      callerByKey(keys, key).then(
        (caller) => done(null, caller ?? false),
        (error: unknown) => done(error),
      );
    }),
  );
  return {
    callerByBearer: (request, response) =>
      new Promise((resolve, reject) => {
        const settle = (error: unknown, caller?: Caller | false) =>
          error ? reject(error) : resolve(noted(request, caller || null));
        authenticator.authenticate('bearer', { session: false }, settle)(request, response, reject);
      }),
    callerBySession: async (request, response) => {
      if (!hasSessionCookie(request)) return null;
      await attachSession(request, response);
      return noted(request, await callerOfSession(keys.credentials, request));
    },
    openSession: attachSession,
  };
}

/**
 * The caller of a request. A Bearer header decides alone; without one, the session decides.
 * null for public operations only; throws 'unauthorized'.
 */
export async function authenticate(
  { auth }: { auth: Authentication },
  operation: Pick<Operation, 'role'>,
  request: Request,
  response: Response,
): Promise<Caller | null> {
  if (operation.role === 'public') {
    await auth.openSession(request, response);
    return null;
  }
  const caller = hasBearer(request)
    ? await auth.callerByBearer(request, response)
    : await auth.callerBySession(request, response);
  if (caller === null) throw new FlotillaError('unauthorized', 'A valid API key or session is needed');
  // The request log names the caller even if the request is refused later.
  response.locals.caller = caller;
  if (caller.apiKey?.mcp) throw new FlotillaError('forbidden', 'This key is for MCP alone');
  return caller;
}

/** The actor of a call, for the audit log; null while nobody is signed in. */
export function actorOf(caller: Caller | null, address: string | null, request: ActorRequest): Actor {
  if (caller === null) return { kind: 'nobody', address, request };
  const { account, apiKey } = caller;
  return {
    kind: 'account',
    accountId: account.id,
    username: account.username,
    keyId: apiKey?.id ?? null,
    address,
    request,
  };
}

/** Notes whose share of the memory a body takes. */
function noted(request: Request, caller: Caller | null): Caller | null {
  if (caller === null) return null;
  const { account, apiKey } = caller;
  noteKnownSender(request, { owner: `account:${account.id}`, scope: apiKey === null ? 'session' : `key:${apiKey.id}` });
  return caller;
}

function hasBearer(request: Request): boolean {
  return /^bearer\b/i.test(request.headers.authorization ?? '');
}

/** Looked up by hash, so that the time of the lookup tells nothing about how much of a wrong key is right. */
async function callerByKey({ credentials, clock, recordKeyUse }: KeyUse, key: string): Promise<Caller | null> {
  const apiKey = await credentials.keyByHash(sha256Hex(key));
  if (apiKey === null || !isUsableKey(apiKey, clock.nowMs())) return null;
  const account = await credentials.account(apiKey.account_id);
  if (account === null) return null;
  recordKeyUse(apiKey.id);
  return callerOf(account, apiKey);
}
