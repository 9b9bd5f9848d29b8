import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { type RawConnection, rawConnection } from '@flotilla/testing/raw-http.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createHttpServer } from './create-http-server.ts';

const GET = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: h\r\n${headers}\r\n`;
const POST = (path: string, headers: string, body = '') => `POST ${path} HTTP/1.1\r\nHost: h\r\n${headers}\r\n${body}`;

let server: Server;
let client: RawConnection;
/** The requests that were begun, oldest first. Each waits for its answer. */
let begun: { request: IncomingMessage; response: ServerResponse }[] = [];

beforeAll(async () => {
  const log = createLogger({ name: 'test', level: 'silent' });
  const handle = (request: IncomingMessage, response: ServerResponse) => begun.push({ request, response });
  ({ server } = createHttpServer(handle, { maxConnections: 100, log }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  client?.end();
  server.close();
});
beforeEach(async () => {
  client?.end();
  begun = [];
  client = await rawConnection((server.address() as AddressInfo).port);
});

const paths = () => begun.map(({ request }) => request.url);
async function waiting(path: string): Promise<ServerResponse> {
  await waitFor(() => paths().includes(path), { message: `${path} to be begun` });
  return begun.find(({ request }) => request.url === path)?.response as ServerResponse;
}
const received = (count: number) =>
  waitFor(() => client.received().split('HTTP/1.1 200 OK').length === count + 1, { message: `${count} answers` });
const closed = () => waitFor(() => client.closed(), { timeoutMs: 10_000, message: 'the connection to be cut' });

describe('behind a request that waits for its answer', () => {
  test('one may be sent, also in pieces and with a body; it is begun after that answer', async () => {
    client.send(GET('/first'));
    const first = await waiting('/first');
    const next = POST('/next', 'Content-Length: 4\r\n', 'body');
    for (const piece of [next.slice(0, 20), next.slice(20)]) client.send(piece);
    await waitFor(() => first.socket?.bytesRead === GET('/first').length + next.length);
    expect(paths()).toEqual(['/first']);
    first.end('1');
    (await waiting('/next')).end('2');
    await received(2);
    client.send(GET('/last'));
    (await waiting('/last')).end('3');
    await received(3);
  });

  test('several that come together with it are more than one', async () => {
    client.send(GET('/first') + GET('/second') + GET('/third'));
    await closed();
    expect(paths()).toEqual(['/first']);
  });

  test.each([
    ['a second one', GET('/second') + GET('/third')],
    ['one with a long head', GET('/second', `X: ${'x'.repeat(20_000)}\r\n`)],
    ['one with a long body', POST('/second', 'Content-Length: 20000\r\n')],
    ['one with a body of unknown length', POST('/second', 'Transfer-Encoding: chunked\r\n')],
  ])('%s ends the connection', async (_what, sent) => {
    client.send(GET('/first'));
    const first = await waiting('/first');
    client.send(sent);
    await closed();
    await waitFor(() => first.closed);
    expect(paths()).toEqual(['/first']);
  });

  test('a head that does not end, and is already long, ends the connection', async () => {
    client.send(POST('/first', 'Content-Length: 100000\r\n', 'x'.repeat(100_000)));
    const first = await waiting('/first');
    first.req.resume();
    await waitFor(() => first.req.complete);
    const sending = setInterval(() => client.send('X'.repeat(1000)), 20);
    await closed().finally(() => clearInterval(sending));
    // Otherwise Node's limits of heads would have ended it: 64 KiB, or 8 s.
    expect(first.socket?.bytesRead ?? 0).toBeLessThan(100_000 + 64 * 1024);
    expect(paths()).toEqual(['/first']);
  });

  test('what was sent is never begun when the client has left, or the connection ends with the answer', async () => {
    client.send(GET('/first') + GET('/next'));
    const first = await waiting('/first');
    client.socket.end();
    await waitFor(() => first.closed, { message: 'the client to be missed' });
    client = await rawConnection((server.address() as AddressInfo).port);
    client.send(GET('/closing') + GET('/next'));
    (await waiting('/closing')).writeHead(200, { Connection: 'close' }).end();
    await closed();
    expect(paths()).toEqual(['/first', '/closing']);
  });
});
