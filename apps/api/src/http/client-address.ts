import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyAddress from 'proxy-addr';

/** Longer than any address. A trusted proxy may write something else; its beginning is kept. */
const MAX_LENGTH = 64;
const MAPPED = '::ffff:';

/** The address of the client; null when its connection is gone. */
export type ClientAddress = (request: IncomingMessage) => string | null;

/** Reads addresses of clients. Entries of X-Forwarded-For count only as far as these proxies (CIDR) wrote them. */
export function clientAddress(trustedProxies: string[]): ClientAddress {
  const trust = proxyAddress.compile(trustedProxies);
  return (request) => {
    // Every call comes here, so a request without the header is not parsed.
    const isForwarded = request.headers['x-forwarded-for'] !== undefined;
    const found = isForwarded ? proxyAddress(request, trust) : request.socket.remoteAddress;
    return found ? plain(found).slice(0, MAX_LENGTH) : null;
  };
}

/** Gives an IPv4 address its own form, also if the socket speaks IPv6. */
function plain(address: string): string {
  const rest = address.slice(MAPPED.length);
  return address.startsWith(MAPPED) && isIPv4(rest) ? rest : address;
}

/** One client: an IPv4 address, or an IPv6 /64, which belongs to one customer. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join('-') : parsed.toString();
}

/** True if the address is a load balancer's (TRUSTED_PROXIES), whose X-Forwarded-* headers count. */
export function trustedProxies(ranges: string[]): (address: string) => boolean {
  const trust = proxyAddress.compile(ranges);
  return (address) => trust(address, 0);
}
