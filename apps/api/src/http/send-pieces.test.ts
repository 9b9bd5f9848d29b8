import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sendPieces } from './send-pieces.ts';

const PIECE_BYTES = 32 * 1024;
/** More than the kernel keeps for a connection. */
const PIECES = 2000;
const SIZE = PIECES * PIECE_BYTES;
const HEAD_BYTES = 1000;

let server: Server;
let sending: { response: ServerResponse; source: Readable; sent: Promise<unknown> };
let sourceOf: () => Readable;

beforeAll(async () => {
  server = createServer((_request, response) => {
    const source = sourceOf();
    response.writeHead(200, { 'content-length': SIZE });
    const sent = sendPieces(response, { stream: source, size: SIZE }).catch((error: Error) => error.message);
    sending = { response, source, sent };
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  server?.close();
});

/** Pieces that are there at once, and then the end or a failure; nothing is read ahead. */
function pieces(count: number, failure?: Error): Readable {
  let left = count;
  return new Readable({
    highWaterMark: 0,
    read() {
      left -= 1;
      if (left < 0 && failure !== undefined) this.destroy(failure);
      else this.push(left < 0 ? null : Buffer.alloc(PIECE_BYTES, left % 251));
    },
  });
}

async function download(source: Readable): Promise<IncomingMessage> {
  sourceOf = () => source;
  const request = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', agent: false });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return answer;
}

test('a client that stops reading leaves one piece here, and gets all of it when it goes on', async () => {
  const answer = await download(pieces(PIECES));
  const { response, sent } = sending;
  await waitFor(() => response.socket!.writableLength > 0, { message: 'the kernel to take no more' });
  for (let turn = 0; turn < 100; turn += 1) await nextTurn();
  expect(response.socket!.writableLength).toBeLessThanOrEqual(PIECE_BYTES + HEAD_BYTES);
  expect(response.writableLength).toBeLessThanOrEqual(PIECE_BYTES + HEAD_BYTES);
  const bytes = await buffer(answer);
  expect(bytes.length).toBe(SIZE);
  expect(bytes.readUInt8(SIZE - 1)).toBe(0);
  expect(await sent).toBeUndefined();
});

test('a client that leaves ends the reading', async () => {
  const answer = await download(pieces(PIECES));
  const { response, source, sent } = sending;
  await waitFor(() => response.socket!.writableLength > 0, { message: 'the kernel to take no more' });
  answer.destroy();
  expect(await sent).toBe('Premature close');
  expect(source.destroyed).toBe(true);
});

test.each([
  ['fails', () => pieces(2, new Error('the disk is gone')), 'the disk is gone'],
  ['ends early', () => pieces(2), `${2 * PIECE_BYTES} bytes came instead of ${SIZE}`],
])('a source that %s cuts the connection', async (_, source, reason) => {
  const answer = await download(source());
  await expect(buffer(answer)).rejects.toThrow('aborted');
  expect(await sending.sent).toBe(reason);
});
