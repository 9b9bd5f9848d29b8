import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { rawConnection } from '@flotilla/testing/raw-http.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import express from 'express';
import { createHttpServer } from './create-http-server.ts';

const PIECES = 5000;

let server: Server;
let read = 0;

function count(request: IncomingMessage, response: ServerResponse): void {
  request.on('data', (piece: Buffer) => {
    read += piece.length;
  });
  request.on('end', () => response.end(`${read} bytes`));
}

beforeAll(async () => {
  const app = express();
  app.use(count);
  const log = createLogger({ name: 'test', level: 'silent' });
  const made = createHttpServer(
    (request, response) => {
      read = 0;
      if (request.url === '/express') app(request, response);
      else if (request.url === '/read') count(request, response);
      else response.writeHead(401).end();
    },
    { maxConnections: 100, log },
  );
  server = made.server;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const connection = () => rawConnection((server.address() as AddressInfo).port);
const head = (path: string) => `POST ${path} HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n`;
const pieces = (count: number, bytes: number) => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`.repeat(count);

test.each(['/read', '/express', '/refused'])('a body of single bytes is cut off: %s', async (path) => {
  const client = await connection();
  client.send(head(path) + pieces(PIECES, 1));
  expect(await client.waitForClose()).not.toContain('200 OK');
  expect(read).toBeLessThan(PIECES / 2);
});

test.each([
  ['in a few small pieces', 1000, 1],
  ['in many pieces as small as packets', 20_000, 536],
])('a body %s is read', async (_what, count, bytes) => {
  const client = await connection();
  client.send(`${head('/read')}${pieces(count, bytes)}0\r\n\r\n`);
  await client.waitFor(new RegExp(`${count * bytes} bytes`));
  client.end();
});
