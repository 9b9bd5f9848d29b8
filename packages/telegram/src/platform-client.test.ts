import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, test } from '@jest/globals';
import { platformClient } from './platform-client.ts';
import { pollingClient } from './polling-client.ts';

const TOKEN = '123456:AAbbCCddEEffGGhhIIjjKKllMMnnOOppQQr';
const stops: (() => void)[] = [];

async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

function answering(status: number, body: string, headers: Record<string, string> = {}): RequestListener {
  return (request, response) => {
    request.resume().on('end', () => response.writeHead(status, headers).end(body));
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}

describe('platformClient', () => {
  test('posts JSON with a length and the exact content type, under the path of the API URL', async () => {
    const seen: Record<string, unknown> = {};
    const url = await listen(async (request: IncomingMessage, response: ServerResponse) => {
      Object.assign(seen, { url: request.url, method: request.method, headers: request.headers });
      seen.body = await readBody(request);
      response.end('{"ok":true,"result":{"id":9007199254740993}}');
    });
    const answer = await platformClient({ apiUrl: `${url}/base/` }).call(TOKEN, 'sendMessage', { text: 'é' });
    expect(answer).toMatchObject({ outcome: 'ok', text: '{"ok":true,"result":{"id":9007199254740993}}' });
    expect(seen).toMatchObject({ url: `/base/bot${TOKEN}/sendMessage`, method: 'POST', body: '{"text":"é"}' });
    expect(seen.headers).toMatchObject({ 'content-type': 'application/json', 'content-length': '13' });
  });

  test('a refusal carries its code, description and parameters', async () => {
    const body =
      '{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 7","parameters":{"retry_after":7}}';
    const url = await listen(answering(429, body));
    expect(await platformClient({ apiUrl: url }).call(TOKEN, 'getMe')).toEqual({
      outcome: 'refused',
      errorCode: 429,
      description: 'Too Many Requests: retry after 7',
      retryAfterS: 7,
    });
  });

  test('a refusal may give its delay in the header, or another chat id', async () => {
    const limited = await listen(
      answering(429, '{"ok":false,"error_code":429,"description":"x"}', { 'retry-after': '3' }),
    );
    expect(await platformClient({ apiUrl: limited }).call(TOKEN, 'getMe')).toMatchObject({ retryAfterS: 3 });
    const body = '{"ok":false,"error_code":400,"description":"x","parameters":{"migrate_to_chat_id":-1001}}';
    const moved = await listen(answering(400, body));
    expect(await platformClient({ apiUrl: moved }).call(TOKEN, 'getMe')).toMatchObject({ migrateToChatId: -1001 });
  });

  test('a file is asked for by its whole path, whatever characters that has', async () => {
    const asked: string[] = [];
    const url = await listen((request, response) => {
      asked.push(request.url ?? '');
      response.end('x');
    });
    const opened = await platformClient({ apiUrl: url }).openFile(TOKEN, 'documents/who? #1 100%.txt');
    expect(opened.outcome).toBe('open');
    if (opened.outcome === 'open') opened.stream.destroy();
    expect(asked[0]?.endsWith('/documents/who%3F%20%231%20100%25.txt')).toBe(true);
  });

  test('a file comes in pieces no larger than the reads of its server, over a connection that is used again', async () => {
    const bytes = randomBytes(1_000_000);
    const ports = new Set<number | undefined>();
    const url = await listen((request, response) => {
      ports.add(request.socket.remotePort);
      response.end(bytes);
    });
    const client = platformClient({ apiUrl: url, readBytes: 16_384 });
    for (let times = 0; times < 2; times += 1) {
      const opened = await client.openFile(TOKEN, 'documents/a.bin');
      if (opened.outcome !== 'open') throw new Error(opened.outcome);
      const pieces: Buffer[] = await opened.stream.toArray();
      expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(16_384);
    }
    expect(ports.size).toBe(1);
  });

  test('a failing server is a refusal when it says so in the envelope, else garbage', async () => {
    const polite = await listen(answering(500, '{"ok":false,"error_code":500,"description":"restart"}'));
    expect(await platformClient({ apiUrl: polite }).call(TOKEN, 'getMe')).toMatchObject({
      outcome: 'refused',
      errorCode: 500,
    });
    const rude = await listen(answering(502, '<html>Bad Gateway</html>'));
    expect(await platformClient({ apiUrl: rude }).call(TOKEN, 'getMe')).toMatchObject({
      outcome: 'garbage',
      status: 502,
    });
  });

  test.each([
    ['half an answer', 200, '{"ok":true,"res'],
    ['no result', 200, '{"ok":true}'],
    ['no envelope', 200, '[]'],
    ['a redirect', 302, ''],
    ['success with a failing status', 500, '{"ok":true,"result":true}'],
  ])('%s is garbage', async (_, status, body) => {
    const url = await listen(answering(status, body, { location: '/elsewhere' }));
    expect(await platformClient({ apiUrl: url }).call(TOKEN, 'getMe')).toMatchObject({ outcome: 'garbage', status });
  });

  test('what is no HTTP is garbage too', async () => {
    const url = await listen((request) => request.socket.end('SSH-2.0-OpenSSH\r\n'));
    expect(await platformClient({ apiUrl: url }).call(TOKEN, 'getMe')).toMatchObject({ outcome: 'garbage', status: 0 });
  });

  test('a dead address and a dropped connection are unreachable, without the token in the reason', async () => {
    const url = await listen((request) => request.socket.destroy());
    const dropped = await platformClient({ apiUrl: url }).call(TOKEN, 'getMe');
    expect(dropped).toMatchObject({ outcome: 'unreachable', timedOut: false });
    const refused = await platformClient({ apiUrl: 'http://127.0.0.1:1' }).call(TOKEN, 'getMe');
    expect(refused).toMatchObject({ outcome: 'unreachable', timedOut: false });
    expect(JSON.stringify([dropped, refused])).not.toContain(TOKEN);
  });

  test('the address of a server is told to the operator alone', async () => {
    const noted: string[] = [];
    const server = { apiUrl: 'http://127.0.0.1:1', noteFailure: (message: string) => noted.push(message) };
    const polling = pollingClient(server);
    stops.push(() => polling.close());
    const answers = [
      await platformClient(server).call(TOKEN, 'getMe'),
      await platformClient(server).openFile(TOKEN, 'a.txt'),
      await polling.getUpdates(TOKEN, {}, { timeoutMs: 5000, signal: new AbortController().signal }),
    ];
    const unreachable = { outcome: 'unreachable', reason: 'it refuses connections (ECONNREFUSED)' };
    expect(answers).toEqual(Array(3).fill(expect.objectContaining(unreachable)));
    expect(noted).toEqual(Array(3).fill(expect.stringContaining('127.0.0.1:1')));
  });

  test('an early answer to an upload wins over the reset that follows it', async () => {
    const stream = new Readable({ read: () => undefined });
    const body = '{"ok":false,"error_code":413,"description":"Request Entity Too Large"}';
    const server = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        // First, so that we write to the connection after its reset and before we have read the answer.
        stream.push(Buffer.alloc(50_000));
        socket.write(`HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
        socket.resetAndDestroy();
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    stops.push(() => server.close());
    stream.push(Buffer.alloc(100));
    const client = platformClient({ apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    const file = { field: 'document', name: 'a', mime: 'text/plain', size: null, stream };
    expect(await client.upload(TOKEN, 'sendDocument', { chat_id: 1 }, [file])).toMatchObject({
      outcome: 'refused',
      errorCode: 413,
    });
  });

  test('a silent server is unreachable after the timeout', async () => {
    const url = await listen(() => {});
    const answer = await platformClient({ apiUrl: url }).call(TOKEN, 'getMe', {}, { timeoutMs: 50 });
    expect(answer).toMatchObject({ outcome: 'unreachable', timedOut: true });
  });

  test('an aborted call says so, whether it was in flight or not', async () => {
    const abort = new AbortController();
    const url = await listen(() => abort.abort());
    const client = platformClient({ apiUrl: url });
    const aborted = { outcome: 'unreachable', reason: 'aborted', timedOut: false };
    expect(await client.call(TOKEN, 'getUpdates', {}, { signal: abort.signal })).toEqual(aborted);
    expect(await client.call(TOKEN, 'getUpdates', {}, { signal: abort.signal })).toEqual(aborted);
  });

  test('a call is sent again only when asked', async () => {
    let calls = 0;
    const url = await listen((request, response) => {
      calls++;
      if (calls % 2 === 1) request.socket.destroy();
      else answering(200, '{"ok":true,"result":1}')(request, response);
    });
    const client = platformClient({ apiUrl: url });
    expect((await client.call(TOKEN, 'getMe')).outcome).toBe('unreachable');
    expect(calls).toBe(1);
    calls = 0;
    expect((await client.call(TOKEN, 'getMe', {}, { retries: 1 })).outcome).toBe('ok');
    expect(calls).toBe(2);
  });
});
