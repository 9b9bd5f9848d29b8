import { networkInterfaces } from 'node:os';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { listenersKey } from '@flotilla/redis/keys.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { parseProxyUrl } from '@flotilla/runtime/proxy-url.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { parseAddress } from './address.ts';
import { followOwnEndpoints, type OwnEndpoints } from './own-endpoints.ts';
import { type Endpoint, storeEndpoints } from './store-endpoints.ts';

let server: TestRedis;
let redis: RedisHandles;
const open: OwnEndpoints[] = [];

beforeAll(async () => {
  server = await startTestRedis();
  redis = await connectRedis({ url: server.url, log: createLogger({ name: 'test', level: 'silent' }) });
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((endpoints) => endpoints.close()));
  await redis.commands.flushall();
});
afterAll(async () => {
  await redis.close();
  await server.stop();
});

const SILENT = { warn: () => {} };

async function follow(stores: Endpoint[] = []): Promise<OwnEndpoints> {
  const endpoints = await followOwnEndpoints({ redis, clock: systemClock, log: SILENT }, stores);
  open.push(endpoints);
  return endpoints;
}
const at = (endpoints: OwnEndpoints, address: string, port: number) => endpoints.ownAt(parseAddress(address)!, port);

describe('where a process listens', () => {
  test('is said to the log when the others cannot be told', async () => {
    const heard: string[] = [];
    const log = { warn: (_fields: object, message: string) => heard.push(message) };
    const lost = await connectRedis({ url: server.url, log });
    const alone = await followOwnEndpoints({ redis: lost, clock: systemClock, log }, []);
    await lost.close();
    await alone.announce('127.0.0.1', [8080]);
    expect(at(alone, '127.0.0.1', 8080)).toBe('endpoint');
    expect(heard).toContain('this process and the others may not know where each listens');
    await alone.close();
  });

  test('is known to it at once, and to every other process', async () => {
    const [one, other] = [await follow(), await follow()];
    await one.announce('127.0.0.1', [8080, 9090]);
    expect(at(one, '127.0.0.1', 8080)).toBe('endpoint');
    await waitFor(() => at(other, '127.0.0.1', 9090) === 'endpoint', { timeoutMs: 20_000 });
    // All of these lead to this machine.
    for (const address of ['127.0.0.5', '0.0.0.0', '::1', '::']) expect(at(other, address, 9090)).toBe('endpoint');
    expect(at(other, '127.0.0.1', 9091)).toBeNull();
    expect(at(other, '10.0.0.3', 9090)).toBeNull();
  });

  test('is said again to a Redis that lost it', async () => {
    const one = await follow();
    await one.announce('127.0.0.1', [8080]);
    await redis.commands.flushall();
    const other = await follow();
    await waitFor(() => at(other, '127.0.0.1', 8080) === 'endpoint', { timeoutMs: 30_000 });
  });

  test('is every address of the machine where it listens on all of them', async () => {
    const one = await follow();
    await one.announce('0.0.0.0', [8080]);
    for (const { address } of Object.values(networkInterfaces()).flatMap((infos) => infos ?? [])) {
      expect({ address, own: at(one, address, 8080) }).toEqual({ address, own: 'endpoint' });
    }
  });

  test('is forgotten when it ends, and the loopback of another machine is not that of this one', async () => {
    const [one, other] = [await follow(), await follow()];
    await redis.commands.zadd(
      listenersKey,
      String(Date.now()),
      'loopback of another 7070',
      String(Date.now()),
      '10.0.0.3 7070',
    );
    await one.announce('127.0.0.1', [9090]);
    await waitFor(() => at(other, '10.0.0.3', 7070) === 'endpoint', { timeoutMs: 20_000 });
    await waitFor(() => at(other, '127.0.0.1', 9090) === 'endpoint', { timeoutMs: 20_000 });
    expect(at(other, '127.0.0.1', 7070)).toBeNull();
    await one.close();
    await waitFor(() => at(other, '127.0.0.1', 9090) === null, { timeoutMs: 20_000 });
  });

  test('is forgotten some minutes after a process was killed', async () => {
    await redis.commands.zadd(listenersKey, String(Date.now() - 400_000), '10.0.0.4 7070');
    expect(at(await follow(), '10.0.0.4', 7070)).toBeNull();
    expect(await redis.commands.zcard(listenersKey)).toBe(0);
  });
});

describe('what a process stands on', () => {
  test('is kept from backends by its host and port, also behind a name; of the platform only a private one', async () => {
    const stores = storeEndpoints({
      database: 'postgres://user:password@10.0.0.7/flotilla',
      redis: 'redis-sentinel://10.0.0.8,localhost:26400/mymaster',
      platforms: ['https://8.8.8.8/path', 'http://10.0.0.5:8081'],
      proxies: [parseProxyUrl('socks5://10.0.0.6')],
    });
    const endpoints = await follow(stores);
    expect(at(endpoints, '10.0.0.7', 5432)).toBe('endpoint');
    expect(at(endpoints, '10.0.0.8', 26379)).toBe('endpoint');
    expect(at(endpoints, '127.0.0.1', 26400)).toBe('endpoint');
    expect(at(endpoints, '8.8.8.8', 443)).toBeNull();
    expect(at(endpoints, '10.0.0.7', 80)).toBeNull();
    expect(at(endpoints, '10.0.0.5', 8081)).toBe('endpoint');
    expect(at(endpoints, '10.0.0.6', 1080)).toBe('endpoint');
    const own = storeEndpoints({
      database: 'postgres:///socket',
      redis: 'redis://h',
      platforms: ['http://10.0.0.9'],
      proxies: [],
    });
    expect(at(await follow(own), '10.0.0.9', 80)).toBe('endpoint');
  });

  test('does not need to be resolved, nor Redis to be there, for a process to start', async () => {
    const unknown = await follow([{ host: 'no-such-host.invalid', port: 1, publicToo: true }]);
    expect(at(unknown, '127.0.0.1', 1)).toBeNull();
  });
});
