import { startTestRedis } from '@flotilla/testing/redis.ts';
import { expect, test } from '@jest/globals';
import { connectRedis } from './connect.ts';
import { readServerState, serverStateOf } from './server-state.ts';

const REPORT = `# Server
redis_version:7.4.1
# Clients
connected_clients:7
# Memory
used_memory:1000
maxmemory:2000
maxmemory_policy:noeviction
# Persistence
aof_enabled:1
aof_last_write_status:ok
`.replaceAll('\n', '\r\n');

test('a Redis that writes down everything and throws nothing away is durable', () => {
  const state = { durable: true, evicts: false, clients: 7, used_bytes: 1000, versions: ['Redis 7.4.1'] };
  expect(serverStateOf(REPORT, 'always')).toEqual(state);
});

test.each([
  ['aof_enabled:1', 'aof_enabled:0', { durable: false }],
  ['aof_last_write_status:ok', 'aof_last_write_status:err', { durable: false }],
  ['policy:noeviction', 'policy:allkeys-lru', { evicts: true }],
  ['redis_version:7.4.1', 'redis_version:7.2.4\r\nvalkey_version:8.0.1', { versions: ['Valkey 8.0.1'] }],
  ['redis_version:7.4.1', '', { versions: [] }],
])('in place of %p it says %p', (was, is, expected) => {
  expect(serverStateOf(REPORT.replace(was, is), 'always')).toMatchObject(expected);
});

test('a service that does not tell when it writes has nothing known against it', () => {
  expect(serverStateOf(REPORT, null).durable).toBe(true);
});

test('a Redis that answers before it has written is not durable', async () => {
  const server = await startTestRedis();
  const redis = await connectRedis({ url: server.url, log: { warn: () => undefined } });
  expect((await readServerState(redis)).durable).toBe(true);
  await redis.commands.call('CONFIG', 'SET', 'appendfsync', 'everysec');
  expect((await readServerState(redis)).durable).toBe(false);
  await redis.commands.call('ACL', 'SETUSER', 'default', '-config');
  expect((await readServerState(redis)).durable).toBe(true);
  await redis.close();
  await server.stop();
});
