import type { PasswordSource } from '@flotilla/runtime/password-source.ts';
import { parseRedisUrl } from '@flotilla/runtime/redis-url.ts';
import type { Retry } from '@flotilla/runtime/retry-while-away.ts';
import { throttledLog } from '@flotilla/runtime/throttled-log.ts';
import type { Redis } from 'ioredis';
import { checkServerMode } from './check-server-mode.ts';
import { disconnectWhenSilent } from './disconnect-when-silent.ts';
import { followPrimary } from './follow-primary.ts';
import { freshPassword } from './fresh-password.ts';
import {
  type LoginTarget,
  openClient,
  openOnce,
  openReaderOfSlot,
  type RedisClient,
  serversOf,
} from './open-client.ts';
import type { KeyCommand, RedisCommands } from './redis-commands.ts';
import { RENEW_EVERY_MS, renewLogins } from './renew-logins.ts';
import { followRunIds } from './run-ids.ts';
import { installScripts } from './scripts.ts';
import { type Subscriber, type Subscription, subscribeForEver } from './subscription.ts';
import { reasonOf, untilReady } from './until-ready.ts';

/**
 * The connections of one process. Commands fail within about a second when Redis is away. They are neither queued nor sent again:
 * whoever sent one may have given it up by then, and others may have done something in between.
 */
export type RedisHandles = {
  /** Shared by everything in the process. */
  commands: RedisCommands;
  /** True if the keys are spread over several servers. */
  isCluster: boolean;
  /** The servers that take writes (one, or the masters of a cluster), for commands about the server itself. */
  servers(): Pick<Redis, 'client' | 'config' | 'info' | 'scan' | 'status'>[];
  /** The run ids of these servers. A server that wrote under another run id may have lost what it wrote. */
  runIds(): string;
  /** Runs commands whose keys may lie anywhere, in few round trips; rejects when one of them fails. */
  runMany(calls: KeyCommand[]): Promise<unknown[]>;
  /** Removes every key with this prefix. Reads the names of all keys. */
  removeKeys(prefix: string): Promise<void>;
  /** Subscribes to a channel over a connection of its own, until it is closed. */
  subscribe(channel: string, subscriber: Subscriber): Subscription;
  /**
   * The connection that BullMQ's workers share, which waits instead of failing. Each of them makes one more with `duplicate`, for
   * its blocking reads.
   */
  ofQueues(): RedisClient;
  /** Closes all connections, those of `subscribe` and `ofQueues` too. */
  close(): Promise<void>;
};

type Log = { warn(fields: object, message: string): void };

const CALL_DEADLINE_MS = 1000;
const failingFast = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 1,
  commandTimeout: CALL_DEADLINE_MS,
};
const waiting = { maxRetriesPerRequest: null };
const REFUSED_LOGIN = /WRONGPASS|NOAUTH/;

export type ConnectOptions = {
  url: string;
  log: Log;
  retry?: Retry;
  /** Reads the password of each connection, in place of the one in `url`, and again before a service ends the login. */
  readPassword?: PasswordSource | undefined;
  renewLoginsEveryMs?: number;
};

/**
 * Connects to Redis and loads our scripts into it. Rejects when Redis is not ready within 5 s (`retry` tries that again),
 * is another kind of server than the URL says, or does not let us load them.
 */
export async function connectRedis(options: ConnectOptions): Promise<RedisHandles> {
  const { readPassword } = options;
  const password = readPassword === undefined ? null : freshPassword(readPassword);
  const target: LoginTarget = {
    ...parseRedisUrl(options.url),
    ...(password === null ? {} : { freshPassword: password }),
  };
  const open: RedisClient[] = [];
  let queues: RedisClient | null = null;
  const readers: Redis[] = [];
  const subscriptions: Subscription[] = [];
  const subscribers = new Set<Redis>();
  const warnSometimes = throttledLog((error: Error, leftOut) =>
    options.log.warn({ reason: reasonOf(error), leftOut }, 'a connection to Redis failed'),
  );
  const warn = (error: Error) => {
    if (REFUSED_LOGIN.test(reasonOf(error))) password?.refused();
    warnSometimes(error);
  };
  const logged = <C extends RedisClient>(client: C): C => {
    client.on('error', warn).on('node error', warn);
    return client;
  };
  const keep = (client: RedisClient): RedisClient => {
    open.push(logged(client));
    return client;
  };
  const commands = keep(openClient(target, failingFast));
  const runIds = followRunIds(commands, () => serversOf(commands));
  if (!('nodes' in commands)) {
    followPrimary(commands, () => [...open.flatMap(serversOf), ...readers, ...subscribers]);
  }
  const watch = disconnectWhenSilent(() => open.flatMap((client) => serversOf(client)));
  const everyMs = options.renewLoginsEveryMs ?? RENEW_EVERY_MS;
  const renewing = password && renewLogins({ ...target, password, everyMs, clients: () => open, failed: warn });
  const close = async () => {
    watch.stop();
    renewing?.stop();
    for (const one of [...open, ...readers]) one.disconnect();
    for (const subscription of subscriptions) subscription.close();
  };
  try {
    const { retry = (attempt) => attempt() } = options;
    await retry(async () => {
      await untilReady(commands, target);
      await checkServerMode(commands, target);
      await installScripts(commands);
    });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    commands: commands as unknown as RedisCommands,
    isCluster: commands.isCluster,
    servers: () => serversOf(commands),
    runIds,
    runMany: (calls) => runMany(commands, calls),
    removeKeys: (prefix) => removeKeys(commands, prefix),
    subscribe: (channel, subscriber) => {
      const openOne = () => {
        const one = logged(openOnce(target, anyNode(commands)));
        subscribers.add(one.once('end', () => subscribers.delete(one)));
        return one;
      };
      const subscription = subscribeForEver(openOne, channel, subscriber);
      subscriptions.push(subscription);
      return subscription;
    },
    ofQueues: () => {
      if (queues !== null) return queues;
      const opened = keep(openClient(target, waiting));
      const copy = (opened as Redis).duplicate.bind(opened);
      const duplicate = (override?: object) => {
        const reader =
          target.form === 'cluster'
            ? logged(openReaderOfSlot(target, waiting, () => anyNode(commands)))
            : copy(override);
        readers.push(reader);
        return reader;
      };
      queues = Object.assign(opened, { duplicate });
      return queues;
    },
    close,
  };
}

/** To make a pipeline takes ioredis 100 µs and more, as it copies every script and command into it. */
const FEW = 4;

async function runMany(client: RedisClient, calls: KeyCommand[]): Promise<unknown[]> {
  if (client.isCluster || calls.length <= FEW)
    return Promise.all(calls.map(([command, ...args]) => client.call(command, ...args)));
  const replies = (await client.pipeline(calls).exec()) ?? [];
  return replies.map(([error, value]) => {
    if (error) throw error;
    return value;
  });
}

async function removeKeys(client: RedisClient, prefix: string): Promise<void> {
  for (const server of serversOf(client)) {
    for await (const page of server.scanStream({ match: `${prefix}*`, count: 1000 })) {
      await runMany(
        client,
        (page as string[]).map((key) => ['unlink', key]),
      );
    }
  }
}

/** Any node will do, because a cluster passes what is published on to all of its nodes. */
function anyNode(client: RedisClient): { host?: string; port?: number } | undefined {
  if (!('nodes' in client)) return undefined;
  const nodes = client.nodes('master').filter((node) => node.status === 'ready');
  const { host, port } = nodes[Math.floor(Math.random() * nodes.length)]?.options ?? {};
  return host === undefined || port === undefined ? undefined : { host, port };
}
