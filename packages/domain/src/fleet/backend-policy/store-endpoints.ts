import type { ProxyTarget } from '@flotilla/runtime/proxy-url.ts';
import { parseRedisUrl } from '@flotilla/runtime/redis-url.ts';

/** A host, by name or address, and a port. `publicToo`: also protect its public addresses. */
export type Endpoint = { host: string; port: number; publicToo: boolean };

const DEFAULT_PORTS: Record<string, number> = { 'postgres:': 5432, 'postgresql:': 5432, 'http:': 80, 'https:': 443 };

/**
 * The endpoints that a process depends on. A platform at a private address is among them; one at
 * a public address is not, because everybody may call it and its host may also run backends.
 */
export function storeEndpoints(urls: {
  database: string;
  redis: string;
  platforms: string[];
  proxies: ProxyTarget[];
}): Endpoint[] {
  const target = parseRedisUrl(urls.redis);
  const ofRedis =
    target.form === 'single' ? [target.address] : target.form === 'sentinel' ? target.sentinels : target.nodes;
  return [
    ...ofRedis.map((address) => ({ ...address, publicToo: true })),
    ...endpointOf(urls.database, true),
    ...urls.platforms.flatMap((url) => endpointOf(url, false)),
    ...urls.proxies.map(({ host, port }) => ({ host, port, publicToo: true })),
  ];
}

function endpointOf(text: string, publicToo: boolean): Endpoint[] {
  const { hostname, port, protocol } = new URL(text);
  // The URL of a Unix socket has no host.
  if (hostname === '') return [];
  return [{ host: hostname, port: port === '' ? (DEFAULT_PORTS[protocol] ?? 0) : Number(port), publicToo }];
}
