import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { type RawConnection, rawConnection } from '@flotilla/testing/raw-http.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createHttpServer } from './create-http-server.ts';

const HEAD_BYTES = 50_000;
const partOf = (bytes: number) => `GET / HTTP/1.1\r\nHost: h\r\nX: ${'x'.repeat(bytes)}`;
const whole = (bytes: number) => `${partOf(bytes)}\r\n\r\n`;

let server: Server;
let clients: RawConnection[];
/** The responses of requests that wait for their answers. */
let waiting: ServerResponse[];

beforeEach(async () => {
  [clients, waiting] = [[], []];
  const log = createLogger({ name: 'test', level: 'silent' });
  const options = { maxConnections: 100, log, longHeadsBytes: 4.5 * HEAD_BYTES };
  ({ server } = createHttpServer((_request, response) => waiting.push(response), options));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  for (const client of clients) client.end();
  server.closeAllConnections();
  server.close();
});

async function send(text: string): Promise<RawConnection> {
  const client = await rawConnection((server.address() as AddressInfo).port);
  clients.push(client);
  client.send(text);
  return client;
}
const untilWaiting = (count: number) => waitFor(() => waiting.length === count, { message: `${count} requests` });

describe('long heads of requests that wait for their answers', () => {
  test('are refused when they would fill the memory, and taken again when others were answered; short ones always are', async () => {
    for (let count = 1; count <= 4; count++) {
      await send(whole(HEAD_BYTES));
      await untilWaiting(count);
    }
    const refused = await send(whole(HEAD_BYTES));
    expect(await refused.waitForClose()).toMatch(/^HTTP\/1\.1 503 .*\r\nRetry-After: 1\r\n/s);
    await send(whole(10));
    await untilWaiting(5);
    waiting[0]?.end();
    await waitFor(() => waiting[0]?.closed);
    await send(whole(HEAD_BYTES));
    await untilWaiting(6);
  });
});

describe('long heads that have not come whole', () => {
  test('end their connections when they would fill the memory', async () => {
    const long = await Promise.all(Array.from({ length: 8 }, () => send(partOf(HEAD_BYTES))));
    const short = await send(partOf(10));
    const cut = () => long.filter((client) => client.closed()).length;
    await waitFor(() => cut() > 0);
    expect([cut(), short.closed()]).toEqual([4, false]);
  });

  test('also those of later requests of a connection', async () => {
    const opened = await Promise.all(Array.from({ length: 8 }, () => send(whole(10))));
    await untilWaiting(8);
    for (const response of waiting) response.end();
    await Promise.all(opened.map((client) => client.waitFor(/\r\n\r\n/)));
    // What comes before the server has seen that nothing is left to answer is not counted.
    let sent = 0;
    for (const client of opened) client.send(partOf(0));
    const growing = setInterval(() => {
      sent += 3000;
      for (const client of opened) if (!client.closed() && sent <= 60_000) client.send('x'.repeat(3000));
    }, 200);
    const cut = () => opened.filter((client) => client.closed());
    await waitFor(() => cut().length > 0, { message: 'one to be cut' }).finally(() => clearInterval(growing));
    expect(cut().length).toBeLessThan(8);
    // Otherwise it was a limit of Node: 408 or 431.
    expect(cut()[0]?.received()).not.toMatch(/HTTP\/1\.1 4/);
  });
});
