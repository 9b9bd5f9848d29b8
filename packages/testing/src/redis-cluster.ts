import { freePort } from '@flotilla/embedded/free-port.ts';
import { type RedisServer, startRedisServer } from './redis-server.ts';
import { TLS_HOST } from './redis-tls.ts';
import type { ReplicatedRedis } from './replicated-redis.ts';
import type { TlsFiles } from './tls-authority.ts';
import { waitFor } from './wait-for.ts';

const SLOTS = 16_384;
const FORMED_WITHIN_MS = 30_000;

type Node = RedisServer & { busPort: number };

type ClusterOptions = {
  masters?: number;
  replicas?: boolean;
  tls?: TlsFiles;
  /** After how much silence a node counts as failed. */
  silentMs?: number;
};

/** Starts a Redis Cluster, with a replica of each master if `replicas`; with TLS the nodes announce names. */
export async function startTestRedisCluster({
  masters: count = 3,
  replicas = false,
  tls,
  silentMs = 2000,
}: ClusterOptions = {}): Promise<ReplicatedRedis> {
  const nodes = await Promise.all(Array.from({ length: replicas ? 2 * count : count }, () => startNode(silentMs, tls)));
  const masters = nodes.slice(0, count);
  await Promise.all(masters.map((master, at) => giveSlots(master, at, count)));
  const [first, ...others] = nodes as [Node, ...Node[]];
  for (const node of others) await node.connection.call('cluster', 'meet', '127.0.0.1', first.port, first.busPort);
  await waitFor(() => allSay(nodes, 'cluster_known_nodes', String(nodes.length)), { timeoutMs: FORMED_WITHIN_MS });
  await Promise.all(nodes.slice(count).map((replica, at) => follow(replica, masters[at]!)));
  await waitFor(() => allSay(nodes, 'cluster_state', 'ok'), { timeoutMs: FORMED_WITHIN_MS });
  return {
    url: `redis${tls ? 's' : ''}-cluster://${masters.map(({ port }) => `${tls ? TLS_HOST : '127.0.0.1'}:${port}`).join(',')}`,
    port: first.port,
    masters: () => mastersOf(nodes),
    servers: () => nodes.filter((node) => node.alive()),
    kill: () => {
      for (const node of nodes) node.kill();
    },
    restart: async () => {
      await Promise.all(nodes.map((node) => node.restart()));
      await waitFor(() => allSay(nodes, 'cluster_state', 'ok'), { timeoutMs: FORMED_WITHIN_MS });
    },
    stop: async () => {
      await Promise.all(nodes.map((node) => node.stop()));
    },
  };
}

async function startNode(silentMs: number, tls?: TlsFiles): Promise<Node> {
  const busPort = await freePort();
  const byName = { 'cluster-announce-hostname': TLS_HOST, 'cluster-preferred-endpoint-type': 'hostname' };
  const directives = {
    'cluster-enabled': 'yes',
    'cluster-port': String(busPort),
    'cluster-node-timeout': String(silentMs),
    ...(tls ? byName : {}),
  };
  const server = await startRedisServer(directives, tls);
  return { ...server, busPort };
}

async function giveSlots(master: Node, at: number, masters: number): Promise<void> {
  const from = Math.ceil((at * SLOTS) / masters);
  await master.connection.call('cluster', 'set-config-epoch', at + 1);
  await master.connection.call('cluster', 'addslotsrange', from, Math.ceil(((at + 1) * SLOTS) / masters) - 1);
}

async function follow(replica: Node, master: Node): Promise<void> {
  const id = (await master.connection.call('cluster', 'myid')) as string;
  await waitFor(async () => (await replica.connection.call('cluster', 'replicate', id)) === 'OK');
  await waitFor(async () => (await replica.info('master_link_status')) === 'up', { timeoutMs: FORMED_WITHIN_MS });
}

async function allSay(nodes: Node[], field: string, value: string): Promise<boolean> {
  const answers = await Promise.all(nodes.map((node) => node.connection.call('cluster', 'info') as Promise<string>));
  return answers.every((answer) => answer.includes(`${field}:${value}\r`));
}

async function mastersOf(nodes: Node[]): Promise<Node[]> {
  const living = nodes.filter((node) => node.alive());
  const roles = await Promise.all(living.map((node) => node.info('role')));
  return living.filter((_, at) => roles[at] === 'master');
}
