import { randomBytes } from 'node:crypto';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { authKeys } from '@flotilla/redis/keys.ts';
import { sha256Hex } from '@flotilla/runtime/digest.ts';
import type { Request, Response } from 'express';
import type { OidcAttempt } from './oidc-provider.ts';

/** A sign-in that a browser began, and where it goes on after it. */
type Begun = OidcAttempt & { returnTo: string };

const ENDS_AFTER_MS = 10 * 60_000;
const SECRET_BYTES = 32;

/**
 * Sign-ins that began at the provider. Each belongs to the browser that began it, by a cookie, and ends with the first answer that has its
 * state: one for another browser, or a second one, finds nothing, and one that a page of another site made up ends nothing.
 */
export interface OidcAttempts {
  keep(request: Request, response: Response, begun: Begun): Promise<void>;
  /** The sign-in that this browser began with this state, which ends now; null if there is none. */
  take(request: Request, response: Response, state: string | null): Promise<Begun | null>;
  /** True if this browser has begun one that has not ended. */
  isBegun(request: Request): Promise<boolean>;
}

export function oidcAttempts({ commands }: Pick<RedisHandles, 'commands'>, redirectUrl: string): OidcAttempts {
  const secure = redirectUrl.startsWith('https:');
  // With this prefix, browsers take it from no other host of the domain.
  const name = secure ? '__Host-oidc' : 'oidc';
  const cookie = { httpOnly: true, sameSite: 'lax', path: '/', secure } as const;
  return {
    async keep(_request, response, begun) {
      const secret = randomBytes(SECRET_BYTES).toString('base64url');
      await commands.set(authKeys.oidcAttempt(sha256Hex(secret)), JSON.stringify(begun), 'PX', ENDS_AFTER_MS);
      response.cookie(name, secret, { ...cookie, maxAge: ENDS_AFTER_MS });
    },
    async take(request, response, state) {
      const secret = cookieOf(request, name);
      if (secret === null) return null;
      const key = authKeys.oidcAttempt(sha256Hex(secret));
      const begun = await commands.get(key);
      if (begun === null || (JSON.parse(begun) as Begun).state !== state) return null;
      response.clearCookie(name, cookie);
      // Of two answers at once, one finds it.
      const taken = await commands.getdel(key);
      return taken === null ? null : (JSON.parse(taken) as Begun);
    },
    async isBegun(request) {
      const secret = cookieOf(request, name);
      return secret !== null && (await commands.exists(authKeys.oidcAttempt(sha256Hex(secret)))) === 1;
    },
  };
}

function cookieOf({ headers }: Request, name: string): string | null {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
}
