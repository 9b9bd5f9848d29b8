import { connectDatabase, type Database } from '@flotilla/database/connect.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { QUEUE_SHARDS } from '@flotilla/redis/keys.ts';
import { readServerState } from '@flotilla/redis/server-state.ts';
import { type TurnQueue, turnQueue } from '@flotilla/redis/turn-queue.ts';
import { startTestRedisCluster } from '@flotilla/testing/redis-cluster.ts';
import { type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { ADMIN_KEY, ADMIN_PASSWORD, testApi } from '@flotilla/testing/test-api.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const PAGE = '/admin/queues';

const api = testApi();
let db: Database;
let redis: RedisHandles;
let push: TurnQueue;
let anyone: RestClient;
let admin: RestClient;

beforeAll(async () => {
  db = connectDatabase({ url: api.database.url, maxConnections: 1 });
  redis = await connectRedis({ url: api.redis.url, log: { warn: () => {} } });
  push = turnQueue(redis, 'push');
  anyone = restClient(api.url);
  admin = restClient(api.url, ADMIN_KEY);
});
afterAll(async () => {
  await push?.close();
  await redis?.close();
  await db?.destroy();
});

const sessionOf = async (username: string, password: string): Promise<string> => {
  const { headers } = await anyone('POST', '/api/auth/login', { body: { username, password } });
  return headers.get('set-cookie')?.split(';', 1)[0] ?? '';
};

describe('the board of the queues', () => {
  test('is there for admins, by key or by session, and for nobody else', async () => {
    const user = await insertAccount(db, { username: 'somebody', bots: null });
    const fresh = await insertAccount(db, { username: 'fresh', role: 'admin', mustChangePassword: true });
    const { json: ofSomeBots } = await admin('POST', '/api/auth/api-keys', { body: { name: 'few', bot_ids: [] } });
    const cookie = await sessionOf('admin', ADMIN_PASSWORD);
    const cookieOfFresh = await sessionOf(fresh.username, fresh.password);
    for (const path of [
      PAGE,
      `${PAGE}/`,
      `${PAGE}/queue/push`,
      `${PAGE}/api/queues`,
      `${PAGE}/static/favicon-32x32.png`,
    ]) {
      expect([path, (await anyone('GET', path)).status]).toEqual([path, 401]);
      expect([path, (await restClient(api.url, user.key)('GET', path)).status]).toEqual([path, 403]);
      expect([path, (await anyone('GET', path, { headers: { cookie: cookieOfFresh } })).status]).toEqual([path, 403]);
      expect([path, (await admin('GET', path)).status]).toEqual([path, 200]);
      expect([path, (await anyone('GET', path, { headers: { cookie } })).status]).toEqual([path, 200]);
      if (path === `${PAGE}/api/queues`)
        expect((await restClient(api.url, (ofSomeBots as { key: string }).key)('GET', path)).status).toBe(403);
    }
  });

  test('is a page whose files are all here, under a policy that lets nothing else in', async () => {
    const { text, headers } = await admin('GET', PAGE);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self';");
    expect(headers.get('x-powered-by')).toBeNull();
    expect(text).toContain(`<base href="${PAGE}/"`);
    const files = [...text.matchAll(/(?:src|href)="(static\/[^"]+)"/g)].map(([, file]) => file);
    expect(files.length).toBeGreaterThan(4);
    for (const file of files) expect([file, (await admin('GET', `${PAGE}/${file}`)).status]).toEqual([file, 200]);
  });

  test('lists every queue with what is in it, which is the number of a bot and nothing else', async () => {
    await push.sleepUntil(4711, Date.now() + 3_600_000);
    const { json } = await admin('GET', `${PAGE}/api/queues`, {
      query: { activeQueue: push.partOf(4711).name, status: 'delayed' },
    });
    const { queues } = json as {
      queues: { name: string; readOnlyMode: boolean; counts: { delayed: number }; jobs: { data: unknown }[] }[];
    };
    const kinds = new Set(queues.map(({ name }) => name.split('-')[0]));
    expect([...kinds].sort()).toEqual(['history', 'outbox', 'polling', 'programs', 'push', 'rules']);
    expect(queues.every(({ readOnlyMode }) => readOnlyMode)).toBe(true);
    const shown = queues.find(({ name }) => name === push.partOf(4711).name);
    expect(shown?.counts.delayed).toBe(1);
    expect(shown?.jobs.map(({ data }) => data)).toEqual([{ subject: 4711 }]);
  });

  test('changes nothing, whoever asks and from wherever', async () => {
    const cookie = await sessionOf('admin', ADMIN_PASSWORD);
    for (const path of ['pause', 'empty', 'promote', 'add']) {
      const refused = await admin('PUT', `${PAGE}/api/queues/push/${path}`);
      expect([path, refused.status, refused.headers.get('allow')]).toEqual([path, 405, 'GET, HEAD']);
      const elsewhere = { cookie, origin: 'https://elsewhere.example' };
      expect((await anyone('PUT', `${PAGE}/api/queues/push/${path}`, { headers: elsewhere })).status).toBe(403);
    }
    expect((await push.counts()).delayed).toBe(1);
  });

  test('shows the parts of the queues of a Redis Cluster', async () => {
    const cluster = await startTestRedisCluster();
    const pod = await api.startPod({ REDIS_URL: cluster.url });
    try {
      const { status, json } = await restClient(pod.url, ADMIN_KEY)('GET', `${PAGE}/api/queues`);
      expect([status, (json as { queues: unknown[] }).queues.length]).toEqual([200, 5 * QUEUE_SHARDS.length + 1]);
    } finally {
      await pod.stop();
      await cluster.stop();
    }
  }, 60_000);

  test('opens no connection to Redis of its own', async () => {
    const connections = async () => (await readServerState(redis)).clients;
    const before = await connections();
    for (let at = 0; at < 10; at += 1) await admin('GET', `${PAGE}/api/queues`, { query: { activeQueue: 'push' } });
    expect(await connections()).toBe(before);
  });
});
