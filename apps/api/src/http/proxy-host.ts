import type { IncomingMessage } from 'node:http';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { hostName } from '@flotilla/runtime/host-name.ts';
import type { RequestHandler } from 'express';
import { trustedProxies } from './client-address.ts';

/** The host on which only the Bot API proxy answers. */
export type ProxyHost = { isAskedBy(request: IncomingMessage): boolean };

/** `name` has the form of `hostName`. A load balancer may name the requested host in a header. */
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
  // A full URL in the request line overrides the header (RFC 9112 §3.2.2).
  return url.startsWith('/') ? (headers.host ?? '') : (URL.parse(url)?.host ?? headers.host ?? '');
}

/** Answers 404 on the proxy's host for everything except the proxy. */
export function refuseOnProxyHost(host: ProxyHost): RequestHandler {
  return (request, _response, next) => {
    if (host.isAskedBy(request)) throw new FlotillaError('not_found', 'There is nothing at this path on this host');
    next();
  };
}
