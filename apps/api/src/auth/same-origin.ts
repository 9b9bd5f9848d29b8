import { FlotillaError } from '@flotilla/contract/flotilla-error.ts';
import type { Request } from 'express';
import { hasSessionCookie } from './authentication.ts';

/**
 * Refuses a state-changing request that carries the cookie and comes from a page of another site, by its Origin or
 * Sec-Fetch-Site header. Neither header: no browser sent it, and it passes.
 */
export function requireSameOrigin(config: { publicUrl: string | null }, request: Request): void {
  if (request.method === 'GET' || request.method === 'HEAD' || !hasSessionCookie(request)) return;
  const fetchSite = request.headers['sec-fetch-site'];
  const { origin } = request.headers;
  const fetchedElsewhere = fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none';
  if (!fetchedElsewhere && (origin === undefined || isOwnOrigin(config, request, origin))) return;
  throw new FlotillaError('forbidden', 'This request comes from a page of another site');
}

function isOwnOrigin({ publicUrl }: { publicUrl: string | null }, request: Request, origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { host, origin: given } = new URL(origin);
  return host === request.host || (publicUrl !== null && given === new URL(publicUrl).origin);
}
