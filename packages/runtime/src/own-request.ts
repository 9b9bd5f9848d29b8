import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** Requests that other sites could send: a form, a script without our origin, a name that leads to this machine. */
export type SiteRefusal = { status: number; error: string };

/**
 * Why a request is not from a person at this machine, or from our own page; null if it is. A browser says by
 * Sec-Fetch-Site and Origin which page asks; by Host, whether the name of another site leads here.
 */
export function refusalOf(
  request: IncomingMessage,
  isOwnHost: (host: string) => boolean,
  bodyType = 'application/json',
): SiteRefusal | null {
  const { host = '', origin, 'sec-fetch-site': site, 'content-type': type = '' } = request.headers;
  if (!isOwnHost(host)) return { status: 421, error: 'This is another host.' };
  const isPost = request.method === 'POST';
  if (!isPost && request.method !== 'GET') return { status: 405, error: 'Only GET and POST are known.' };
  const isPage = !isPost && request.headers['sec-fetch-mode'] === 'navigate';
  if (isPage) return null;
  if (site !== undefined && !['same-origin', 'none'].includes(site))
    return { status: 403, error: 'Another site asks.' };
  if (origin !== undefined && origin !== `http://${host}`) return { status: 403, error: 'Another site asks.' };
  // A form of another site cannot send these types, and a script of it would have to ask first.
  const isOwnType = type.split(';')[0]?.trim().toLowerCase() === bodyType;
  return isPost && !isOwnType ? { status: 415, error: `Send the body with Content-Type: ${bodyType}.` } : null;
}

/** True for an address, `localhost` or one of `names`: no other site can make these lead to this machine. */
export function isAddressOrKnown(host: string, names: string[]): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  return isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || name === 'localhost' || names.includes(name);
}
