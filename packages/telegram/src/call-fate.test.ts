import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { startFullBacklog } from '@flotilla/testing/full-backlog.ts';
import { startTlsAuthority } from '@flotilla/testing/tls-authority.ts';
import { afterAll, describe, expect, test } from '@jest/globals';
import { fateOf, isOutage } from './call-fate.ts';
import { type PlatformAnswer, readPlatformAnswer } from './platform-answer.ts';
import { platformClient } from './platform-client.ts';

const TOKEN = '123456:AAbbCCddEEffGGhhIIjjKKllMMnnOOppQQr';
const stops: (() => unknown)[] = [];
afterAll(async () => {
  for (const stop of stops) await stop();
});

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const tcp = (onSocket: (socket: Socket) => void) => listen(createServer(onSocket));
const sendBy = (apiUrl: string) => platformClient({ apiUrl }).call(TOKEN, 'sendMessage', {}, { timeoutMs: 500 });

describe('a call whose request never went out', () => {
  const strange = async () => {
    const { certFile, keyFile } = await (await startTlsAuthority()).issue('DNS:localhost');
    const [cert, key] = [await readFile(certFile), await readFile(keyFile)];
    return `https://localhost:${await listen(createHttpsServer({ cert, key }))}`;
  };
  const droppedSyn = async () => {
    const full = await startFullBacklog();
    stops.push(full.stop);
    return `http://127.0.0.1:${full.port}`;
  };
  test.each<[string, () => Promise<string>]>([
    ['a port where nobody listens', async () => 'http://127.0.0.1:1'],
    ['a name that does not resolve', async () => 'http://platform.invalid'],
    ['a SYN that is dropped', droppedSyn],
    ['a handshake that is reset', async () => `https://127.0.0.1:${await tcp((socket) => socket.resetAndDestroy())}`],
    ['a handshake that ends', async () => `https://127.0.0.1:${await tcp((socket) => socket.end())}`],
    ['a handshake that hangs', async () => `https://127.0.0.1:${await tcp(() => undefined)}`],
    [
      'a handshake with something else',
      async () => `https://127.0.0.1:${await tcp((socket) => socket.end('SSH-2.0\r\n'))}`,
    ],
    ['the certificate of a stranger', strange],
  ])('is undone: %s', async (_, start) => {
    const answer = await sendBy(await start());
    expect(answer).toMatchObject({ outcome: 'unreachable', neverSent: true });
    expect([fateOf(answer), isOutage(answer)]).toEqual(['undone', true]);
  });

  test('is undone: an upload of which a part is missing', async () => {
    const apiUrl = `http://127.0.0.1:${await tcp((socket) => socket.on('data', () => socket.resetAndDestroy()))}`;
    const stream = new Readable({ read: () => undefined });
    stream.push(Buffer.alloc(1_000));
    const file = { field: 'document', name: 'a', mime: 'text/plain', size: null, stream };
    expect(fateOf(await platformClient({ apiUrl }).upload(TOKEN, 'sendDocument', {}, [file]))).toBe('undone');
  });
});

const BREAKS_AT_SECOND_CALL = `
  let calls = 0;
  const server = require('node:net').createServer((socket) => socket.on('data', () => {
    calls += 1;
    if (calls > 1) socket.destroy();
    else socket.write('HTTP/1.1 200 OK\\r\\nContent-Length: 25\\r\\n\\r\\n{"ok":true,"result":true}');
  }));
  server.listen(0, '127.0.0.1', () => require('node:worker_threads').parentPort.postMessage(server.address().port));`;

describe('a call whose request went out', () => {
  const half = 'HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{"ok":true,';
  test.each<[string, (socket: Socket) => void]>([
    ['no answer came', () => undefined],
    ['the connection was reset', (socket) => socket.resetAndDestroy()],
    ['the connection ended', (socket) => socket.end()],
    ['the answer was cut', (socket) => socket.end(half)],
    ['the answer stopped', (socket) => socket.write(half)],
    ['the answer was no HTTP', (socket) => socket.end('SSH-2.0\r\n')],
  ])('is in doubt: %s', async (_, answerBy) => {
    const answer = await sendBy(
      `http://127.0.0.1:${await tcp((socket) => socket.once('data', () => answerBy(socket)))}`,
    );
    expect([fateOf(answer), isOutage(answer)]).toEqual(['doubt', true]);
  });

  test('is in doubt also where the connection breaks before the client has noted the end of the request', async () => {
    const other = new Worker(BREAKS_AT_SECOND_CALL, { eval: true });
    const [port] = await once(other, 'message');
    const client = platformClient({ apiUrl: `http://127.0.0.1:${port}` });
    expect(fateOf(await client.call(TOKEN, 'getMe'))).toBe('done');
    const answer = new Promise<PlatformAnswer>((resolve) => {
      setTimeout(() => void client.call(TOKEN, 'getMe').then(resolve), 1);
      // The break comes meanwhile, and is read before anything that waits for its turn.
      setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200), 1);
    });
    expect(fateOf(await answer)).toBe('doubt');
    await other.terminate();
  });

  test('is in doubt also over a connection that was used before', async () => {
    let calls = 0;
    const port = await tcp((socket) =>
      socket.on('data', () => {
        calls += 1;
        if (calls > 1) socket.resetAndDestroy();
        else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 25\r\n\r\n{"ok":true,"result":true}');
      }),
    );
    const client = platformClient({ apiUrl: `http://127.0.0.1:${port}` });
    expect(fateOf(await client.call(TOKEN, 'getMe'))).toBe('done');
    expect(fateOf(await client.call(TOKEN, 'getMe'))).toBe('doubt');
  });
});

const PAGE = '<html>nginx</html>';
const said = (errorCode: number) => JSON.stringify({ ok: false, error_code: errorCode, description: 'no' });

test.each<[number, string, string, boolean]>([
  [200, '{"ok":true,"result":true}', 'done', false],
  [400, said(400), 'refused', false],
  [403, said(403), 'refused', false],
  [401, said(401), 'undone', false],
  [429, said(429), 'undone', false],
  [500, said(500), 'undone', false],
  [502, said(502), 'undone', false],
  [429, PAGE, 'undone', true],
  [429, '', 'undone', true],
  [502, PAGE, 'undone', true],
  [503, '', 'undone', true],
  [302, '', 'undone', true],
  [403, PAGE, 'undone', true],
  [413, PAGE, 'refused', false],
  [500, PAGE, 'doubt', true],
  [504, PAGE, 'doubt', true],
  [200, PAGE, 'doubt', true],
  [200, '', 'doubt', true],
  [200, '{"ok":true}', 'doubt', true],
])('%i with %j is %s', (status, text, fate, outage) => {
  const answer = readPlatformAnswer(status, undefined, text);
  expect([fateOf(answer), isOutage(answer)]).toEqual([fate, outage]);
});

test.each<[string, string | undefined, string, number]>([
  ['in its parameters', '3', '{"ok":false,"error_code":429,"parameters":{"retry_after":7}}', 7],
  ['in its header', '3', said(429), 3],
  ['in the header of a page', '5', PAGE, 5],
  ['beside its envelope', undefined, '{"retry_after":9}', 9],
  ['as a text', undefined, '{"retry_after":"11"}', 11],
  ['nowhere', undefined, PAGE, 1],
  ['as a date', 'Sat, 28 Nov 2026 23:00:00 GMT', PAGE, 1],
  ['longer than a day', undefined, '{"ok":false,"error_code":429,"parameters":{"retry_after":1e300}}', 86_400],
  ['longer than a day, in a header', '9'.repeat(400), PAGE, 86_400],
])('a 429 that says how long %s is obeyed', (_, header, text, retryAfterS) => {
  expect(readPlatformAnswer(429, header, text)).toMatchObject({ outcome: 'refused', errorCode: 429, retryAfterS });
});
