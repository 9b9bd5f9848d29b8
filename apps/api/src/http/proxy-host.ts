import type { IncomingMessage } from 'node:http';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { RequestHandler } from 'express';
import { hostName } from './host-name.ts';
import { trustedProxies } from './trusted-proxies.ts';

/** The one host on which the Bot API proxy answers, and nothing else does. */
export type ProxyHost = { isAskedBy(request: IncomingMessage): boolean };

/** `name` as `hostName` gives it; a load balancer may say which host it was asked for. */
export function proxyHost(name: string, trustedRanges: string[]): ProxyHost {
  const isTrusted = trustedProxies(trustedRanges);
  return {
    isAskedBy: (request) => {
      const host = askedHost(request, isTrusted);
      return host === name || hostName(host) === name;
    },
  };
}

function askedHost({ headers, socket, url = '/' }: IncomingMessage, isTrusted: (address: string) => boolean): string {
  const forwarded = headers['x-forwarded-host'];
  if (typeof forwarded === 'string' && isTrusted(socket.remoteAddress ?? '')) {
    return (forwarded.split(',', 1)[0] as string).trim();
  }
  // A whole URL in the request line counts before the header (RFC 9112 §3.2.2).
  return url.startsWith('/') ? (headers.host ?? '') : (URL.parse(url)?.host ?? headers.host ?? '');
}

/** For all that is not the proxy: on its host there is nothing of it. */
export function refuseOnProxyHost(host: ProxyHost): RequestHandler {
  return (request, _response, next) => {
    if (host.isAskedBy(request)) throw new FlotillaError('not_found', 'There is nothing at this path on this host');
    next();
  };
}
