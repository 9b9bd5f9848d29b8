import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { freePort } from './free-port.ts';

test('no port is given twice, though nobody has taken the first one yet', async () => {
  const ports = await Promise.all(Array.from({ length: 100 }, freePort));
  expect(new Set(ports).size).toBe(100);
});

test('the port that is wanted is given where it is free, once', async () => {
  const wanted = await freePort();
  const taken = createServer().listen(wanted, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  expect(await freePort(port)).not.toBe(port);
  taken.close();
  const free = 60_000;
  const given = await freePort(free);
  expect(await freePort(free)).not.toBe(given);
});
