import { isUsableKey } from '@flotilla/domain/accounts/api-key.ts';
import { type Caller, callerOf } from '@flotilla/domain/accounts/caller.ts';
import type { CredentialCache } from '@flotilla/domain/accounts/credential-cache.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { sha256Hex } from '@flotilla/runtime/digest.ts';
import type { Request } from 'express';

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
  return async (request) => {
    const key = /^bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    return key === undefined ? null : callerByKey(deps, key);
  };
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
