import type { PasswordSource } from '@flotilla/runtime/password-source.ts';
import { parseRedisUrl, type RedisTarget } from '@flotilla/runtime/redis-url.ts';
import type { Redis } from 'ioredis';
import { checkServerMode } from './check-server-mode.ts';
import { freshPassword } from './fresh-password.ts';
import { channels } from './keys.ts';
import { neededCalls } from './needed-rights.ts';
import { type LoginTarget, openClient, openOnce, type RedisClient, serversOf } from './open-client.ts';
import { type RedisChecks, readServerState, type ServerState } from './server-state.ts';
import { untilReady } from './until-ready.ts';

export type RedisInspection = {
  state: ServerState;
  /** The words of Redis about each right that the user lacks; empty: it has all that we need. */
  refusals: string[];
  /** By how much (ms) this machine is ahead of the first server; negative: behind. */
  aheadMs: number;
  /** The limit of memory that the servers set, over all; 0: none. */
  limitBytes: number;
};

type Options = { url: string; readPassword?: PasswordSource | undefined; checks: RedisChecks };

const SHORT = { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 5000 } as const;
const WAIT_AT_MOST_MS = 5000;

/** Looks at Redis and changes nothing there. Rejects with the reason when it cannot be reached or refuses the login. */
export async function inspectRedis({ url, readPassword, checks }: Options): Promise<RedisInspection> {
  const target: LoginTarget = {
    ...parseRedisUrl(url),
    ...(readPassword === undefined ? {} : { freshPassword: freshPassword(readPassword) }),
  };
  const client = openClient(target, SHORT);
  client.on('error', () => {}).on('node error', () => {});
  try {
    await untilReady(client, target);
    await checkServerMode(client, target);
    return await inspect(client, target, checks);
  } finally {
    client.disconnect();
  }
}

async function inspect(client: RedisClient, target: LoginTarget, checks: RedisChecks): Promise<RedisInspection> {
  const servers = serversOf(client);
  const calls = neededCalls({ config: checks.durability, cluster: target.form === 'cluster' });
  const refusals: string[] = [];
  for (const server of servers) refusals.push(...(await refusalsOf(server, calls)));
  refusals.push(...(await refusedChannel(target, servers[0]!)));
  const reports = await Promise.all(servers.map((server) => server.info('memory')));
  return {
    state: await readServerState({ servers: () => servers }, checks),
    refusals: [...new Set(refusals)],
    aheadMs: await aheadMs(servers[0]!),
    limitBytes: reports.reduce((sum, report) => sum + Number(/^maxmemory:(\d+)/m.exec(report)?.[1] ?? 0), 0),
  };
}

/** Redis looks at rights when it queues a command, so none of them runs. */
async function refusalsOf(server: Redis, calls: string[][]): Promise<string[]> {
  const begun = await refusalOf(server.call('multi'));
  if (begun !== null) return [begun];
  const refused: (string | null)[] = [];
  for (const [name, ...args] of calls) refused.push(await refusalOf(server.call(name!, ...args)));
  await server.call('discard');
  return refused.filter((refusal) => refusal !== null);
}

/** Subscribing is no command that a transaction queues. */
async function refusedChannel(target: RedisTarget, server: Redis): Promise<string[]> {
  const { host, port } = server.options;
  const listener = openOnce(target, host === undefined || port === undefined ? undefined : { host, port });
  listener.on('error', () => {});
  const silent = setTimeout(() => listener.disconnect(), WAIT_AT_MOST_MS);
  const refusal = await refusalOf(listener.subscribe(channels.appended));
  clearTimeout(silent);
  listener.disconnect();
  return refusal === null ? [] : [refusal];
}

function refusalOf(call: Promise<unknown>): Promise<string | null> {
  return call.then(
    () => null,
    ({ message }: Error) => (message.startsWith('NOPERM') ? message.replace(/^NOPERM\s+/, '') : null),
  );
}

async function aheadMs(server: Redis): Promise<number> {
  const askedAtMs = Date.now();
  const [seconds, microseconds] = (await server.time()).map(Number) as [number, number];
  return Math.round((askedAtMs + Date.now()) / 2 - (seconds * 1000 + microseconds / 1000));
}
