import { isUsableKey } from '@flotilla/domain/accounts/api-key.ts';
import { type Caller, callerOf } from '@flotilla/domain/accounts/caller.ts';
import type { CredentialCache } from '@flotilla/domain/accounts/credential-cache.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { sha256Hex } from '@flotilla/runtime/digest.ts';
import type { Request } from 'express';
import passport from 'passport';
import { Strategy } from 'passport-http-bearer';

export interface BearerDeps {
  credentials: CredentialCache;
  recordKeyUse: (keyId: number) => void;
  clock: Clock;
}

export type BearerAuthentication = (request: Request) => Promise<Caller | null>;

export function hasBearer(request: Request): boolean {
  return /^bearer\b/i.test(request.headers.authorization ?? '');
}

/** Authenticates by an API key in the Authorization header; null when it is none, or disabled, or expired. */
export function bearerAuthentication(deps: BearerDeps): BearerAuthentication {
  const authenticator = new passport.Passport();
  authenticator.use(
    new Strategy((key, done) => {
      callerByKey(deps, key).then(
        (caller) => done(null, caller ?? false),
        (error: unknown) => done(error),
      );
    }),
  );
  return (request) =>
    new Promise((resolve, reject) => {
      const settle = (error: unknown, caller?: Caller | false) => (error ? reject(error) : resolve(caller || null));
      // The strategy would also take `access_token` from query and body; keys in URLs end up in logs.
      const headersOnly = { headers: { authorization: request.headers.authorization } };
      authenticator.authenticate('bearer', { session: false }, settle)(headersOnly, {}, reject);
    });
}

/** Looked up by hash: how long it takes tells nothing about how much of a wrong key is right. */
async function callerByKey(deps: BearerDeps, key: string): Promise<Caller | null> {
  const apiKey = await deps.credentials.keyByHash(sha256Hex(key));
  if (apiKey === null || !isUsableKey(apiKey, deps.clock.nowMs())) return null;
  const account = await deps.credentials.account(apiKey.accountId);
  if (account === null) return null;
  deps.recordKeyUse(apiKey.id);
  return callerOf(account, apiKey);
}
