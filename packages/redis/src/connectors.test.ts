import { readFile } from 'node:fs/promises';
import { type RedisServer, startRedisServer } from '@flotilla/testing/redis-server.ts';
import { startTcpRelay, type TcpRelay } from '@flotilla/testing/tcp-relay.ts';
import { startTlsAuthority } from '@flotilla/testing/tls-authority.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { toServer } from './connectors.ts';

let server: RedisServer;
let relay: TcpRelay;
let ca: Buffer;
beforeAll(async () => {
  const authority = await startTlsAuthority();
  ca = await readFile(authority.caFile);
  server = await startRedisServer({}, await authority.issue('DNS:localhost'));
  relay = await startTcpRelay(server.port);
}, 60_000);
afterAll(async () => {
  await relay?.stop();
  await server?.stop();
});

test('connections over a line that garbles what it carries end and are made again, and the process goes on', async () => {
  const heard: string[] = [];
  const behaviour = { enableOfflineQueue: false, maxRetriesPerRequest: 0, retryStrategy: () => 1 };
  const line = { port: relay.port, host: 'localhost', tls: { ca }, Connector: toServer };
  let made = 0;
  const clients = Array.from({ length: 10 }, () =>
    new Redis({ ...line, ...behaviour })
      .on('error', (error) => heard.push(String(error)))
      .on('ready', () => {
        made += 1;
      }),
  );
  const writing = setInterval(() => {
    for (const client of clients) client.set('a', 'b'.repeat(10_000)).catch(() => {});
  }, 5);
  try {
    await waitFor(() => made === clients.length);
    for (let round = 2; round <= 10; round += 1) {
      relay.garble();
      await waitFor(() => made === round * clients.length);
    }
    expect(heard.filter((error) => !/SSL/.test(error))).toEqual([]);
  } finally {
    clearInterval(writing);
    for (const client of clients) client.disconnect();
  }
}, 60_000);
