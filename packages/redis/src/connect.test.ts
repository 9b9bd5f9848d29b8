import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { startTestRedis } from '@flotilla/testing/redis.ts';
import { startTestRedisCluster } from '@flotilla/testing/redis-cluster.ts';
import { startTestRedisSentinel } from '@flotilla/testing/redis-sentinel.ts';
import type { RedisServer } from '@flotilla/testing/redis-server.ts';
import type { ReplicatedRedis } from '@flotilla/testing/replicated-redis.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { connectRedis, type RedisHandles } from './connect.ts';
import { isRedisUnavailable } from './is-redis-unavailable.ts';
import { turnQueue } from './turn-queue.ts';
import { turnWorker } from './turn-worker.ts';

const log = { warn: () => {}, error: () => {} };
const AGAIN_WITHIN_MS = 30_000;

test('the commands of one pass of the event loop go to the server in one write', async () => {
  const server = await startTestRedis();
  const redis = await connectRedis({ url: server.url, log });
  try {
    const reads = async () => Number(/total_reads_processed:(\d+)/.exec(await redis.commands.info('stats'))?.[1]);
    const before = await reads();
    await Promise.all(Array.from({ length: 200 }, () => redis.commands.incr('a')));
    expect((await reads()) - before).toBeLessThan(20);
  } finally {
    await redis.close();
    await server.stop();
  }
});

test('a command whose connection is lost fails, and is not sent again over the next one', async () => {
  const server = await startTestRedis();
  let isSilent = false;
  const clients = new Set<Socket>();
  const relay = createServer((client) => {
    clients.add(client);
    const upstream = connect(server.port, '127.0.0.1');
    client.on('close', () => upstream.destroy()).on('error', () => {});
    client.pipe(upstream).on('error', () => {});
    upstream.on('data', (bytes) => {
      if (!isSilent) client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  const direct = await connectRedis({ url: server.url, log });
  const redis = await connectRedis({ url: `redis://127.0.0.1:${(relay.address() as AddressInfo).port}`, log });
  try {
    isSilent = true;
    const lost = redis.commands.incr('a').catch((error: unknown) => error);
    await waitFor(async () => (await direct.commands.get('a')) === '1', { message: 'a command that arrives' });
    isSilent = false;
    for (const client of clients) client.destroy();
    await waitFor(() => redis.commands.ping().catch(() => null), { message: 'a new connection' });
    expect(isRedisUnavailable(await lost)).toBe(true);
    expect(await redis.commands.get('a')).toBe('1');
  } finally {
    await Promise.all([redis.close(), direct.close()]);
    relay.close();
    await server.stop();
  }
});

describe.each([
  ['a cluster', () => startTestRedisCluster({ replicas: true })],
  ['a Sentinel set', startTestRedisSentinel],
])('over %s', (_title, start) => {
  let server: ReplicatedRedis;
  let redis: RedisHandles;
  beforeAll(async () => {
    server = await start();
    redis = await connectRedis({ url: server.url, log });
  }, 60_000);
  afterAll(async () => {
    await redis?.close();
    await server?.stop();
  }, 30_000);

  const keys = Array.from({ length: 50 }, (_, at) => `a:{${at}}`);

  test('commands on many keys are answered in order, wherever the keys lie', async () => {
    await redis.runMany(keys.map((key, at) => ['set', key, at]));
    expect(await redis.runMany(keys.map((key) => ['get', key]))).toEqual(keys.map((_, at) => String(at)));
    await expect(
      redis.runMany([...keys.map((key) => ['get', key] as ['get', string]), ['hget', keys[0]!, 'x']]),
    ).rejects.toThrow('WRONGTYPE');
  });

  test('keys are removed by how they begin, wherever they lie, and no others', async () => {
    await redis.commands.set('b:1', '1');
    await redis.removeKeys('a:');
    expect(await redis.runMany(keys.map((key) => ['exists', key]))).toEqual(keys.map(() => 0));
    expect(await redis.commands.get('b:1')).toBe('1');
  });

  test('after the server of a key is killed, calls fail as unavailable, then everything goes on by itself', async () => {
    const heard: string[] = [];
    let listening = 0;
    const subscription = redis.subscribe('news', {
      message: (payload) => heard.push(String(payload)),
      listening: () => {
        listening += 1;
      },
    });
    const queue = turnQueue(redis, 'push');
    const turns: number[] = [];
    const run = async (subject: number) => {
      turns.push(subject);
      return { next: 'idle' } as const;
    };
    const worker = turnWorker({ redis, queue, concurrency: 5, run, log });
    worker.serve([1, 2]);
    try {
      await queue.wake(1);
      await waitFor(() => turns.includes(1));
      await waitFor(() => listening === 1);
      const killed = await masterOf(server, queue.partOf(2).toKey('meta'));
      killed.kill();
      const faults: unknown[] = [];
      await waitFor(
        () =>
          queue.wake(2).then(
            () => true,
            (error: unknown) => {
              faults.push(error);
              return false;
            },
          ),
        { timeoutMs: AGAIN_WITHIN_MS, message: 'a queue that takes turns again' },
      );
      expect(faults.filter((fault) => !isRedisUnavailable(fault))).toEqual([]);
      await waitFor(() => turns.includes(2), { timeoutMs: AGAIN_WITHIN_MS, message: 'a turn that runs' });
      await waitFor(
        async () => {
          await redis.commands.publish('news', 'later').catch(() => {});
          return heard.includes('later');
        },
        { timeoutMs: AGAIN_WITHIN_MS, message: 'a message' },
      );
    } finally {
      subscription.close();
      await worker.close();
      await queue.close();
    }
  }, 120_000);
});

test('a primary that its replicas leave in a planned failover is left before it is demoted, by every connection', async () => {
  // Sentinel cannot make it a replica.
  const server = await startTestRedisSentinel({ primary: { 'rename-command': 'SLAVEOF ""' } });
  const redis = await connectRedis({ url: server.url, log });
  const heard: string[] = [];
  const subscription = redis.subscribe('news', { message: (text) => heard.push(String(text)), listening: () => {} });
  const queue = turnQueue(redis, 'push');
  const turns: number[] = [];
  const run = async (subject: number) => {
    turns.push(subject);
    return { next: 'idle' } as const;
  };
  const worker = turnWorker({ redis, queue, concurrency: 5, run, log });
  worker.serve([1, 2]);
  try {
    await queue.wake(1);
    await waitFor(() => turns.includes(1));
    const [left] = await server.masters();
    await server.failover();
    await waitFor(async () => (await left!.info('connected_slaves')) === '0', { timeoutMs: AGAIN_WITHIN_MS });
    await waitFor(
      () =>
        queue.wake(2).then(
          () => true,
          () => false,
        ),
      { timeoutMs: AGAIN_WITHIN_MS, message: 'a queue that takes turns again' },
    );
    await waitFor(() => turns.includes(2), { timeoutMs: AGAIN_WITHIN_MS, message: 'a turn that runs' });
    await waitFor(
      async () => {
        await redis.commands.publish('news', 'later').catch(() => {});
        return heard.includes('later');
      },
      { timeoutMs: AGAIN_WITHIN_MS, message: 'a message' },
    );
    await waitFor(async () => (await clientsOf(left!)).length === 0, { timeoutMs: AGAIN_WITHIN_MS }).catch(async () => {
      expect(await clientsOf(left!)).toEqual([]);
    });
    expect(await left!.info('role')).toBe('master');
  } finally {
    subscription.close();
    await worker.close();
    await queue.close();
    await redis.close();
    await server.stop();
  }
}, 120_000);

/** The connections to it, without those of Sentinels, of replicas and of the test. */
async function clientsOf({ connection }: RedisServer): Promise<string[]> {
  const lines = String(await connection.client('LIST'))
    .trim()
    .split('\n');
  return lines.filter((line) => !/ name=sentinel| flags=S| cmd=client\|list| cmd=info/.test(line));
}

/** The server that holds this key now. */
async function masterOf(server: ReplicatedRedis, key: string): Promise<RedisServer> {
  const masters = await server.masters();
  const held = await Promise.all(
    masters.map((master) =>
      master.connection.exists(key).then(
        () => true,
        () => false,
      ),
    ),
  );
  return masters[held.indexOf(true)]!;
}

describe('a REDIS_URL that names another kind of server', () => {
  test('a node of a cluster is refused as a single server, and a single server as a cluster', async () => {
    const [cluster, single] = await Promise.all([startTestRedisCluster(), startTestRedis()]);
    try {
      const node = cluster.url.replace('redis-cluster', 'redis').replace(/,.*/, '');
      await expect(connectRedis({ url: node, log })).rejects.toThrow('a node of a cluster (redis-cluster://)');
      const asCluster = single.url.replace('redis:', 'redis-cluster:');
      await expect(connectRedis({ url: asCluster, log })).rejects.toThrow('cluster support disabled');
    } finally {
      await Promise.all([cluster.stop(), single.stop()]);
    }
  }, 60_000);

  test('a wrong password is named and not quoted', async () => {
    const single = await startTestRedis({ directives: { requirepass: 'right' } });
    try {
      const wrong = single.url.replace('//', '//:wrong@');
      await expect(connectRedis({ url: wrong, log })).rejects.toThrow(/^(?!.*:wrong).*WRONGPASS/);
    } finally {
      await single.stop();
    }
  }, 30_000);
});

describe('a start', () => {
  test('waits for a first answer that is late', async () => {
    const single = await startTestRedis();
    const questions: Buffer[] = [];
    // Holds back the first INFO until the client asks again.
    const relay = createServer((client) => {
      const server = connect(single.port, '127.0.0.1');
      server.pipe(client).on('error', () => server.destroy());
      client
        .on('close', () => server.destroy())
        .on('data', (bytes) => {
          // The argument of INFO; the scripts, which are sent later, have the word, too.
          const asks = bytes.includes('\r\nserver\r\n');
          if (asks) questions.push(bytes);
          if (asks && questions.length === 1) return;
          server.write(questions.length === 2 ? Buffer.concat(questions.splice(0)) : bytes);
        });
    });
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = relay.address() as AddressInfo;
      const redis = await connectRedis({ url: `redis://127.0.0.1:${port}`, log });
      expect(await redis.commands.ping()).toBe('PONG');
      await redis.close();
    } finally {
      relay.close();
      await single.stop();
    }
  }, 30_000);

  test('says why no Sentinel answers, and quotes no password', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const sentinels = await startTestRedisSentinel();
    try {
      const wrong = `${sentinels.url}?sentinelUsername=nobody&sentinelPassword=wrong-one`;
      await expect(connectRedis({ url: wrong, log })).rejects.toThrow(/^(?!.*wrong-one).*WRONGPASS/);
      const nowhere = 'redis-sentinel://127.0.0.1:1,127.0.0.1:2/flotilla';
      await expect(connectRedis({ url: nowhere, log })).rejects.toThrow('ECONNREFUSED');
      const unwatched = sentinels.url.replace(/[^/]*$/, 'another');
      await expect(connectRedis({ url: unwatched, log })).rejects.toThrow('do the Sentinels watch "another"?');
    } finally {
      await sentinels.stop();
    }
    // A client that is closed meanwhile still waits for its next look for a Sentinel.
    await waitFor(() => timers() <= before);
  }, 60_000);
});
