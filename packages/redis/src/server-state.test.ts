import { expect, test } from '@jest/globals';
import { serverStateOf } from './server-state.ts';

const REPORT = `# Clients
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
  expect(serverStateOf(REPORT)).toEqual({ durable: true, evicts: false, clients: 7, usedBytes: 1000 });
});

test.each([
  ['aof_enabled:1', 'aof_enabled:0', { durable: false }],
  ['aof_last_write_status:ok', 'aof_last_write_status:err', { durable: false }],
  ['policy:noeviction', 'policy:allkeys-lru', { evicts: true }],
])('in place of %p it says %p', (was, is, expected) => {
  expect(serverStateOf(REPORT.replace(was, is))).toMatchObject(expected);
});
