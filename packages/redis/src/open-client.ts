import type { RedisAddress, RedisTarget } from '@flotilla/runtime/redis-url.ts';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { toNode, toPrimary, toServer } from './connectors.ts';
import type { FreshPassword } from './fresh-password.ts';

export type RedisClient = Redis | Cluster;

/** Where connections go. `freshPassword` replaces the password of REDIS_URL. */
export type LoginTarget = RedisTarget & { freshPassword?: FreshPassword };

/** How a connection behaves; the target says where it goes. */
export type Behaviour = Pick<
  RedisOptions,
  'maxRetriesPerRequest' | 'commandTimeout' | 'enableOfflineQueue' | 'autoResendUnfulfilledCommands'
>;

const RECONNECT_AT_MOST_MS = 1000;
const TOPOLOGY_READ_EVERY_MS = 5000;
const NO_REPLICAS_PAUSE_MS = 1000;
const common = {
  protocol: 2,
  replyMapping: 'legacy',
  connectTimeout: 5000,
  keepAlive: 10_000,
  Connector: toServer,
} as const;
const AND_SEND_AGAIN = 2;
type NodeAddress = { host?: string; port?: number };
type Settings = Omit<RedisOptions, 'replyMapping'> & { replyMapping: 'legacy' };
const retryInMs = (tries: number) => Math.min(50 * 2 ** Math.min(tries, 5), RECONNECT_AT_MOST_MS);

/** A client of the server that takes writes. It finds that server again after every failover, and reconnects for ever. */
export function openClient(target: LoginTarget, behaviour: Behaviour): RedisClient {
  if (target.form === 'cluster') return openCluster(target, behaviour);
  const reconnectOnError = target.form === 'sentinel' ? demotions() : isDemoted;
  return new Redis({ ...serverOptions(target), ...behaviour, retryStrategy: retryInMs, reconnectOnError });
}

/** The connections to servers that take writes. */
export function serversOf(client: RedisClient): Redis[] {
  return 'nodes' in client ? client.nodes('master') : [client];
}

/** One connection, made once: to the server itself, to the primary, or to this node of a cluster. */
export function openOnce(target: LoginTarget, node?: { host?: string; port?: number }): Redis {
  const once = { retryStrategy: null, sentinelRetryStrategy: () => null, maxRetriesPerRequest: null } as const;
  if (target.form !== 'cluster') return new Redis({ ...serverOptions(target), ...once });
  return new Redis({ ...common, ...login(target), ...(node ?? target.nodes[0]), ...once });
}

/** One connection to a Sentinel itself, made once. */
export function openSentinelOnce(target: RedisTarget & { form: 'sentinel' }, address: RedisAddress): Redis {
  const secured = target.tls ? { tls: {} } : {};
  const once = { enableReadyCheck: false, maxRetriesPerRequest: null, retryStrategy: null } as const;
  return new Redis({ ...common, ...address, ...target.sentinelLogin, ...secured, ...once });
}

/**
 * One connection to a cluster for blocking reads of keys of one slot: to any master first, and then to the one that MOVED
 * names. A client of the whole cluster would read the topology every few seconds.
 */
export function openReaderOfSlot(
  target: LoginTarget & { form: 'cluster' },
  behaviour: Behaviour,
  anyMaster: () => NodeAddress | undefined,
): Redis {
  let movedTo: NodeAddress | undefined;
  const reader = new Redis({
    ...common,
    ...login(target),
    ...behaviour,
    Connector: toNode(() => {
      const address = movedTo ?? anyMaster() ?? target.nodes[0]!;
      movedTo = undefined;
      return address;
    }),
    retryStrategy: retryInMs,
    // A master ends blocking reads of slots that go to another one, also when it becomes a replica.
    reconnectOnError: ({ message }) => {
      const [, host, port] = /^MOVED \d+ (\S+):(\d+)/.exec(message) ?? [];
      if (host !== undefined) movedTo = { host, port: Number(port) };
      return /^(MOVED|UNBLOCKED)/.test(message) ? AND_SEND_AGAIN : false;
    },
  });
  const disconnect = reader.disconnect.bind(reader);
  // A client that is closed between two sockets never ends (ioredis 6.0.0), and BullMQ would wait for its end.
  reader.disconnect = (reconnect = false) => {
    if (!reconnect && reader.status === 'reconnecting') reader.status = 'wait';
    disconnect(reconnect);
  };
  return reader;
}

function openCluster(target: LoginTarget & { form: 'cluster' }, behaviour: Behaviour): Cluster {
  const { enableOfflineQueue = true, ...ofNodes } = behaviour;
  const cluster = new Cluster(target.nodes, {
    redisOptions: { ...common, ...login(target), ...ofNodes },
    enableOfflineQueue,
    clusterRetryStrategy: retryInMs,
    // 0: a command is not sent again after its connection was lost.
    ...(behaviour.autoResendUnfulfilledCommands === false ? { retryDelayOnFailover: 0 } : {}),
    slotsRefreshInterval: TOPOLOGY_READ_EVERY_MS,
    // Host names are not resolved, because a certificate names hosts and not their addresses.
    dnsLookup: (host, done) => done(null, host),
  });
  // Without an offline queue no command waits for a connection, so a node is connected when it is found.
  cluster.on('+node', (node: Redis) => {
    if (enableOfflineQueue) return;
    if (node.status === 'wait' && node.options.readOnly !== true) node.connect().catch(() => {});
  });
  return cluster;
}

function serverOptions(target: Exclude<LoginTarget, { form: 'cluster' }>): Settings {
  const server = { ...common, ...login(target), db: target.db };
  if (target.form === 'single') return { ...server, ...target.address };
  const { username, password } = target.sentinelLogin;
  return {
    ...server,
    Connector: toPrimary,
    sentinels: target.sentinels,
    name: target.primary,
    sentinelRetryStrategy: retryInMs,
    sentinelCommandTimeout: 1000,
    ...(username === undefined ? {} : { sentinelUsername: username }),
    ...(password === undefined ? {} : { sentinelPassword: password }),
    ...(target.tls ? { enableTLSForSentinelMode: true, sentinelTLS: {} } : {}),
  };
}

function login(target: LoginTarget): Pick<RedisOptions, 'username' | 'password' | 'tls'> {
  const { username, password, freshPassword, tls } = target;
  const sent = freshPassword === undefined ? password : (freshPassword as unknown as string);
  return {
    ...(username === undefined ? {} : { username }),
    ...(sent === undefined ? {} : { password: sent }),
    ...(tls ? { tls: {} } : {}),
  };
}

/** A primary that became a replica keeps its connections; a new connection finds the new primary. */
function isDemoted(error: Error): boolean {
  return error.message.startsWith('READONLY');
}

/**
 * In a planned failover the replicas leave the primary long before Sentinel demotes it. It may lack replicas for other reasons, too, so
 * this is no reason to reconnect all the time.
 */
function demotions(): (error: Error) => boolean {
  let askedAtMs = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (!error.message.startsWith('NOREPLICAS')) return isDemoted(error);
    const isLongAgo = performance.now() - askedAtMs >= NO_REPLICAS_PAUSE_MS;
    if (isLongAgo) askedAtMs = performance.now();
    return isLongAgo;
  };
}
