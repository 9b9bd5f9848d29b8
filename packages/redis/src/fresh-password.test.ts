import { startTestRedis } from '@flotilla/testing/redis.ts';
import { startTestRedisCluster } from '@flotilla/testing/redis-cluster.ts';
import { startTestRedisSentinel } from '@flotilla/testing/redis-sentinel.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterEach, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { connectRedis, type RedisHandles } from './connect.ts';

const USER = 'by-token';
const ALL_RIGHTS = ['~*', '&*', '+@all'];

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one();
}, 60_000);

/** Servers with one user, whose only password changes; `given` is the one that is read for connections. */
async function scene(form: 'single' | 'sentinel' | 'cluster', renewLoginsEveryMs?: number) {
  const { url, servers } = await start[form]();
  const warnings: string[] = [];
  let given = 'first';
  let reads = 0;
  let refusals = 0;
  const accept = (password: string) =>
    Promise.all(
      servers.map((server) => server.call('ACL', 'SETUSER', USER, 'on', 'resetpass', `>${password}`, ...ALL_RIGHTS)),
    );
  await accept('first');
  const redis = await connectRedis({
    url: url.replace('://', `://${USER}:@`),
    log: { warn: (fields) => void warnings.push(JSON.stringify(fields)) },
    readPassword: {
      read: async () => {
        reads += 1;
        if (given === '') throw new Error('there is no password');
        return given;
      },
      refused: () => {
        refusals += 1;
      },
    },
    ...(renewLoginsEveryMs === undefined ? {} : { renewLoginsEveryMs }),
  });
  undo.push(() => redis.close());
  return {
    redis,
    warnings,
    reads: () => reads,
    refusals: () => refusals,
    give: (password: string) => {
      given = password;
    },
    accept,
    endConnections: () => Promise.all(servers.map((server) => server.call('CLIENT', 'KILL', 'USER', USER))),
    logins: async () => {
      const reports = await Promise.all(servers.map((server) => server.info('commandstats')));
      return reports.reduce((sum, report) => sum + Number(/cmdstat_auth:calls=(\d+)/.exec(report)?.[1] ?? 0), 0);
    },
  };
}

function admin(port: number): Redis {
  const client = new Redis({ port, host: '127.0.0.1' });
  undo.push(async () => client.disconnect());
  return client;
}

const start = {
  single: async () => {
    const server = await startTestRedis();
    undo.push(() => server.stop());
    return { url: server.url, servers: [admin(server.port)] };
  },
  sentinel: async () => replicated(await startTestRedisSentinel()),
  cluster: async () => replicated(await startTestRedisCluster()),
};

function replicated(redis: Awaited<ReturnType<typeof startTestRedisCluster>>) {
  undo.push(() => redis.stop());
  return { url: redis.url, servers: redis.servers().map(({ port }) => admin(port)) };
}

const writes = (redis: RedisHandles) =>
  waitFor(
    async () => {
      const keys = Array.from({ length: 20 }, (_, at) => `key-${at}`);
      await Promise.all(keys.map((key) => redis.commands.set(key, '1')));
      return true;
    },
    { timeoutMs: 20_000, message: 'writes to every server' },
  );

test.each(['single', 'sentinel', 'cluster'] as const)(
  'each connection gets a password that was read for it, also when the first one is no longer accepted: %s',
  async (form) => {
    const { redis, give, accept, endConnections } = await scene(form);
    let heard = 0;
    const message = () => {
      heard += 1;
    };
    const subscription = redis.subscribe('flotilla:news', { message, listening: () => {} });
    await writes(redis);
    await accept('second');
    give('second');
    await endConnections();
    await writes(redis);
    const news = async () => {
      await redis.commands.publish('flotilla:news', 'x');
      return heard > 0;
    };
    await waitFor(news, { timeoutMs: 20_000, message: 'a message over a new connection' });
    subscription.close();
  },
  90_000,
);

test('a password that cannot be read is read again until it can, and no connection is given up meanwhile', async () => {
  const { redis, give, reads, warnings, endConnections } = await scene('single');
  const blocking = redis.ofQueues();
  await blocking.ping();
  give('');
  await endConnections();
  const before = reads();
  await waitFor(() => reads() > before + 4, { message: 'further tries' });
  give('first');
  await writes(redis);
  await waitFor(() => blocking.ping().catch(() => null), { message: 'a blocking connection that is back' });
  expect(warnings.join('\n')).toContain('there is no password');
});

test.each(['single', 'cluster'] as const)(
  'open connections log in anew, before a service ends them for their old login: %s',
  async (form) => {
    const { redis, give, accept, logins, refusals, warnings } = await scene(form, 50);
    const blocking = redis.ofQueues();
    await blocking.ping();
    await accept('second');
    give('second');
    const [before, refused] = [await logins(), warnings.length];
    await waitFor(async () => (await logins()) > before + 10, { message: 'further logins' });
    await writes(redis);
    give('third');
    await waitFor(() => warnings.length > refused, {
      timeoutMs: 15_000,
      message: 'a warning that a login was refused',
    });
    expect(warnings.at(-1)).toContain('WRONGPASS');
    expect(refusals()).toBeGreaterThan(0);
    expect(warnings.join()).not.toMatch(/second|third/);
    // The connections keep their old login.
    await writes(redis);
  },
  60_000,
);
