import { createHash } from 'node:crypto';
import type { UpstreamServers } from '@flotilla/runtime/upstreams-setting.ts';

/**
 * The same in all processes that call the same servers by the same names. The way there and the mount of its files may differ from
 * machine to machine.
 */
export function serversDigest({ platformUrl, servers }: { platformUrl: string; servers: UpstreamServers }): string {
  const named = [...servers.values()].map(({ name, url, webhook, uploads }) => [name, url, webhook, uploads].join(' '));
  return createHash('sha256')
    .update([platformUrl, ...named.toSorted()].join('\n'))
    .digest('hex')
    .slice(0, 16);
}
