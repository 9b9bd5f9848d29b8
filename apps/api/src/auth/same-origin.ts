import type { Operation } from '@flotilla/contract/operation.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Request } from 'express';
import { hasSessionCookie } from './authentication.ts';

/**
 * Refuses a state-changing request that carries the cookie, or could set it, and comes from a page of another site, by
 * its Origin or Sec-Fetch-Site header. Neither header: no browser sent it, and it passes.
 */
export function requireSameOrigin(
  config: { publicUrl: string | null },
  operation: Pick<Operation, 'role'>,
  request: Request,
): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  // A public operation signs in: the page of another site could sign somebody into an account of its own choice.
  if (operation.role !== 'public' && !hasSessionCookie(request)) return;
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
