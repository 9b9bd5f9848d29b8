import type { Redis } from 'ioredis';
import type { RedisClient } from './open-client.ts';

/**
 * The run ids of the servers that take writes. A server has another one after a restart, and so has a server that
 * replaces it. A server whose run id is not known yet is left out.
 */
export function followRunIds(client: RedisClient, servers: () => Redis[]): () => string {
  const known = new WeakMap<Redis, string>();
  const ask = async (server: Redis): Promise<void> => {
    const report = await server.info('server').catch(() => '');
    const runId = /^run_id:(\w+)/m.exec(report)?.[1];
    if (runId !== undefined && server.status === 'ready') known.set(server, runId);
  };
  const follow = (server: Redis): void => {
    server.on('close', () => known.delete(server)).on('ready', () => void ask(server));
  };
  if ('nodes' in client) client.on('+node', follow);
  else follow(client);
  return () =>
    servers()
      .flatMap((server) => known.get(server) ?? [])
      .join(' ');
}
