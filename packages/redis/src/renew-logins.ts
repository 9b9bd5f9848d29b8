import type { Redis } from 'ioredis';
import type { FreshPassword } from './fresh-password.ts';
import type { RedisClient } from './open-client.ts';

/** Services end a connection hours after its login, and some when its token ends: tokens are handed out with 5 minutes left. */
export const RENEW_EVERY_MS = 4 * 60_000;

type Options = {
  username?: string;
  password: FreshPassword;
  everyMs: number;
  clients(): RedisClient[];
  failed(error: Error): void;
};

/**
 * Logs connections in anew before their service ends them. A connection that listens to a channel takes no AUTH (RESP 2): it
 * is ended and made again, which its subscriber is told.
 */
export function renewLogins({ username, password, everyMs, clients, failed }: Options): { stop(): void } {
  const renew = async () => {
    const sent = await password.renew();
    const login = username === undefined ? [sent] : [username, sent];
    const ready = clients()
      .flatMap(connectionsOf)
      .filter(({ status }) => status === 'ready');
    const results = await Promise.allSettled(ready.map((redis) => redis.call('auth', ...login)));
    for (const result of results) if (result.status === 'rejected') failed(result.reason as Error);
  };
  const timer = setInterval(() => void renew().catch(failed), everyMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** Also those to replicas, which a cluster uses to read its topology. */
function connectionsOf(client: RedisClient): Redis[] {
  return 'nodes' in client ? client.nodes('all') : [client];
}
