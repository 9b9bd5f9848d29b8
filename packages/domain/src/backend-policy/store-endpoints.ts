import { parseRedisUrl } from '@flotilla/runtime/redis-url.ts';

/** A host, by name or address, and a port; `publicToo`: also where everybody can reach it. */
export type Endpoint = { host: string; port: number; publicToo: boolean };

const DEFAULT_PORTS: Record<string, number> = { 'postgres:': 5432, 'postgresql:': 5432, 'http:': 80, 'https:': 443 };

/**
 * Where a process reaches what it stands on. A public platform is what everybody may call, and a host of many programs
 * may have one of them beside it: only one that is private is kept from backends.
 */
export function storeEndpoints(urls: { database: string; redis: string; platform: string }): Endpoint[] {
  const target = parseRedisUrl(urls.redis);
  const ofRedis =
    target.form === 'single' ? [target.address] : target.form === 'sentinel' ? target.sentinels : target.nodes;
  return [
    ...ofRedis.map((address) => ({ ...address, publicToo: true })),
    ...endpointOf(urls.database, true),
    ...endpointOf(urls.platform, false),
  ];
}

function endpointOf(text: string, publicToo: boolean): Endpoint[] {
  const { hostname, port, protocol } = new URL(text);
  // A socket of Postgres has no host.
  if (hostname === '') return [];
  return [{ host: hostname, port: port === '' ? (DEFAULT_PORTS[protocol] ?? 0) : Number(port), publicToo }];
}
