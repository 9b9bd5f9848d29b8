import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import proxyAddress from 'proxy-addr';

/** Longer than any address: what a trusted proxy wrote that is none is kept as it came, in part. */
const MAX_LENGTH = 64;

/** Where a request came from; null when its connection is gone. */
export type ClientAddress = (request: IncomingMessage) => string | null;

/** X-Forwarded-For counts as far as it was written by these proxies (CIDR), as everywhere else in the api. */
export function clientAddress(trustedProxies: string[]): ClientAddress {
  const trust = proxyAddress.compile(trustedProxies);
  return (request) => {
    const found = proxyAddress(request, trust) as string | undefined;
    if (found === undefined || found === '') return null;
    return ipaddr.isValid(found) ? ipaddr.process(found).toString() : found.slice(0, MAX_LENGTH);
  };
}
