import { startSentinel } from '@flotilla/embedded/start-sentinel.ts';
import { Redis } from 'ioredis';
import { type RedisServer, startRedisServer } from './redis-server.ts';
import { TLS_HOST, tlsDirectives, unchecked } from './redis-tls.ts';
import type { ReplicatedRedis } from './replicated-redis.ts';
import { removeDir, throwAwayDir } from './throw-away-dir.ts';
import type { TlsFiles } from './tls-authority.ts';
import { waitFor } from './wait-for.ts';

const PRIMARY = 'flotilla';
const REPLICAS = 2;
const SENTINELS = 3;
const FORMED_WITHIN_MS = 30_000;
/** docs/operations/redis.md recommends these: a primary without a replica accepts no writes. */
const directives = { 'min-replicas-to-write': '1', 'min-replicas-max-lag': '10' };

type SentinelSet = {
  tls?: TlsFiles;
  /** After how much silence Sentinel replaces the primary. */
  silentMs?: number;
  /** Further directives of the first primary. */
  primary?: Record<string, string>;
};

/** Starts a primary with two replicas, watched by three Sentinels; with TLS all of them announce host names. */
export async function startTestRedisSentinel({
  tls,
  silentMs = 1000,
  primary: ofPrimary = {},
}: SentinelSet = {}): Promise<ReplicatedRedis & { failover(): Promise<void> }> {
  const host = tls ? TLS_HOST : '127.0.0.1';
  const own = { ...directives, ...(tls ? { 'replica-announce-ip': TLS_HOST } : {}) };
  const primary = await startRedisServer({ ...own, ...ofPrimary }, tls);
  const replicaof = `${host} ${primary.port}`;
  const replicas = await Promise.all(
    Array.from({ length: REPLICAS }, () => startRedisServer({ ...own, replicaof }, tls)),
  );
  const servers = [primary, ...replicas];
  for (const replica of replicas) {
    await waitFor(async () => (await replica.info('master_link_status')) === 'up', { timeoutMs: FORMED_WITHIN_MS });
  }
  const sentinels = await Promise.all(
    Array.from({ length: SENTINELS }, () => startWatching(primary.port, silentMs, tls)),
  );
  await Promise.all(sentinels.map(({ port }) => untilItKnowsAll(port, tls)));
  const addresses = sentinels.map(({ port }) => `${host}:${port}`);
  const masters = async () => {
    const living = servers.filter((server) => server.alive());
    const roles = await Promise.all(living.map((server) => server.info('role')));
    return living.filter((_, at) => roles[at] === 'master');
  };
  return {
    url: `redis${tls ? 's' : ''}-sentinel://${addresses.join(',')}/${PRIMARY}`,
    port: primary.port,
    masters,
    servers: () => servers.filter((server) => server.alive()),
    failover: () => askOne(sentinels[0]!.port, tls, ['failover', PRIMARY]).then(() => undefined),
    kill: () => {
      for (const server of servers) server.kill();
    },
    restart: async () => {
      await Promise.all(servers.map((server) => server.restart()));
      await waitFor(async () => takesWrites(await masters()), { timeoutMs: FORMED_WITHIN_MS });
    },
    stop: async () => {
      await Promise.all(sentinels.map((sentinel) => sentinel.stop()));
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

async function takesWrites([primary, ...others]: RedisServer[]): Promise<boolean> {
  return others.length === 0 && Number(await primary?.info('min_slaves_good_slaves')) > 0;
}

async function startWatching(
  primaryPort: number,
  silentMs: number,
  tls?: TlsFiles,
): Promise<{ port: number; stop(): Promise<void> }> {
  const dataDir = await throwAwayDir();
  const sentinel = await startSentinel({
    dataDir,
    tls: tls !== undefined,
    lines: [
      ...(tls ? byName(tls) : []),
      `sentinel monitor ${PRIMARY} ${tls ? TLS_HOST : '127.0.0.1'} ${primaryPort} 2`,
      `sentinel down-after-milliseconds ${PRIMARY} ${silentMs}`,
      `sentinel failover-timeout ${PRIMARY} 10000`,
    ],
  });
  const stop = async () => {
    await sentinel.stop();
    await removeDir(dataDir);
  };
  return { port: sentinel.port, stop };
}

/** Certificates contain host names, so Sentinel must announce names and not the addresses that it finds. */
function byName(tls: TlsFiles): string[] {
  const { port: _port, 'tls-port': _tlsPort, 'tls-cluster': _cluster, ...certificates } = tlsDirectives(tls, 0);
  return [
    ...Object.entries(certificates).map(([name, value]) => `${name} ${value}`),
    'sentinel resolve-hostnames yes',
    'sentinel announce-hostnames yes',
    `sentinel announce-ip ${TLS_HOST}`,
  ];
}

async function untilItKnowsAll(port: number, tls?: TlsFiles): Promise<void> {
  await waitFor(
    async () => {
      const flat = (await askOne(port, tls, ['master', PRIMARY])) as string[];
      const field = (name: string) => Number(flat[flat.indexOf(name) + 1]);
      return field('num-other-sentinels') === SENTINELS - 1 && field('num-slaves') === REPLICAS;
    },
    { timeoutMs: FORMED_WITHIN_MS, message: 'a Sentinel that knows the others and the replicas' },
  );
}

async function askOne(port: number, tls: TlsFiles | undefined, args: string[]): Promise<unknown> {
  const connection = new Redis({ port, host: '127.0.0.1', protocol: 2, replyMapping: 'legacy', ...unchecked(tls) });
  try {
    return await connection.call('sentinel', ...args);
  } finally {
    connection.disconnect();
  }
}
