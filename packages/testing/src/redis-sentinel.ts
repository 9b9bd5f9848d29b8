import { rm } from 'node:fs/promises';
import { startSentinel } from '@flotilla/embedded/start-sentinel.ts';
import { Redis } from 'ioredis';
import { startRedisServer } from './redis-server.ts';
import type { ReplicatedRedis } from './replicated-redis.ts';
import { throwAwayDir } from './throw-away-dir.ts';
import { waitFor } from './wait-for.ts';

const PRIMARY = 'flotilla';
const REPLICAS = 2;
const SENTINELS = 3;
const FORMED_WITHIN_MS = 30_000;
/** As docs/OPERATIONS.md recommends: a primary that nobody follows takes no writes. */
const directives = { 'min-replicas-to-write': '1', 'min-replicas-max-lag': '10' };

/** A primary with two replicas, watched by three Sentinels. */
export async function startTestRedisSentinel(): Promise<ReplicatedRedis> {
  const primary = await startRedisServer(directives);
  const replicaof = `127.0.0.1 ${primary.port}`;
  const replicas = await Promise.all(
    Array.from({ length: REPLICAS }, () => startRedisServer({ ...directives, replicaof })),
  );
  const servers = [primary, ...replicas];
  for (const replica of replicas) {
    await waitFor(async () => (await replica.info('master_link_status')) === 'up', { timeoutMs: FORMED_WITHIN_MS });
  }
  const sentinels = await Promise.all(Array.from({ length: SENTINELS }, () => startWatching(primary.port)));
  await Promise.all(sentinels.map(({ port }) => untilItKnowsAll(port)));
  const addresses = sentinels.map(({ port }) => `127.0.0.1:${port}`);
  return {
    url: `redis-sentinel://${addresses.join(',')}/${PRIMARY}`,
    port: primary.port,
    masters: async () => {
      const living = servers.filter((server) => server.alive());
      const roles = await Promise.all(living.map((server) => server.info('role')));
      return living.filter((_, at) => roles[at] === 'master');
    },
    stop: async () => {
      await Promise.all(sentinels.map((sentinel) => sentinel.stop()));
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

async function startWatching(primaryPort: number): Promise<{ port: number; stop(): Promise<void> }> {
  const dataDir = await throwAwayDir();
  const sentinel = await startSentinel({
    dataDir,
    lines: [
      `sentinel monitor ${PRIMARY} 127.0.0.1 ${primaryPort} 2`,
      `sentinel down-after-milliseconds ${PRIMARY} 1000`,
      `sentinel failover-timeout ${PRIMARY} 10000`,
    ],
  });
  const stop = async () => {
    await sentinel.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { port: sentinel.port, stop };
}

async function untilItKnowsAll(port: number): Promise<void> {
  const connection = new Redis({ port, host: '127.0.0.1', protocol: 2, replyMapping: 'legacy' });
  try {
    await waitFor(
      async () => {
        const flat = (await connection.call('sentinel', 'master', PRIMARY)) as string[];
        const field = (name: string) => Number(flat[flat.indexOf(name) + 1]);
        return field('num-other-sentinels') === SENTINELS - 1 && field('num-slaves') === REPLICAS;
      },
      { timeoutMs: FORMED_WITHIN_MS, message: 'a Sentinel that knows the others and the replicas' },
    );
  } finally {
    connection.disconnect();
  }
}
