import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type Nginx, startNginx } from '@flotilla/testing/fleet/nginx.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const TOKEN = '123456:AAsecretSECRETsecretSECRETsecretSEC';
const MIB = 1 << 20;

/** What came in, and how it is answered, are all that the api is here. */
const received: { url: string; headers: IncomingMessage['headers']; bytes: number }[] = [];
let api: Server;
let nginx: Nginx;

beforeAll(async () => {
  api = createServer((request, response) => {
    const entry = { url: request.url ?? '', headers: request.headers, bytes: 0 };
    received.push(entry);
    request.on('data', (chunk: Buffer) => {
      entry.bytes += chunk.length;
      // Where nothing is kept on the way, the first byte is here before the last is sent.
      if (request.url === '/streamed') response.write('seen');
    });
    request.on('end', () => response.end());
    if (request.url === '/cut') request.socket.destroy();
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  const { port } = api.address() as AddressInfo;
  nginx = await startNginx({ apiPorts: [port, port] });
}, 60_000);

afterAll(async () => {
  await nginx?.stop();
  api.closeAllConnections();
  api.close();
});

test('a token is in no line of the log, however it is spelt, and the path to the api is byte for byte the same', async () => {
  const encoded = TOKEN.replace(':', '%3A');
  const paths = [
    `/bot${TOKEN}/getMe`,
    `/tgapi/%62ot${encoded}/sendMessage?text=${TOKEN}`,
    `/file/bot${TOKEN}/photos/1.jpg`,
    `/a/prefix/bot${TOKEN}/test/getMe`,
    '/botAAsecretSECRET/getMe',
    '/api/bots/add',
  ];
  received.length = 0;
  for (const path of paths) await (await fetch(`${nginx.url}${path}`)).text();
  expect(received.map(({ url }) => url)).toEqual(paths);
  const logged = async () => (await nginx.requests()).map(({ path }) => path);
  await waitFor(async () => (await logged()).includes('/api/bots/add'));
  const lines = await logged();
  expect(lines.join('\n')).not.toMatch(/secret/i);
  expect(lines).toContain('/tgapi/bot123456[redacted]/sendMessage');
  expect(lines).toContain('/file/bot123456[redacted]/photos/1.jpg');
});

test('the address that the api is told is the one that called, whatever the client says of itself', async () => {
  received.length = 0;
  await fetch(`${nginx.url}/api/bots`, { headers: { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' } });
  expect(received[0]!.headers).toMatchObject({ 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http' });
});

test('a body over 1 MiB is refused on the paths of the service, in its own words, and passed on elsewhere', async () => {
  const body = Buffer.alloc(2 * MIB);
  received.length = 0;
  const refused = await fetch(`${nginx.url}/api/bots/add`, { method: 'POST', body });
  expect({ status: refused.status, answer: await refused.json() }).toEqual({
    status: 413,
    answer: { error: expect.any(String), code: 'payload_too_large' },
  });
  expect(received).toEqual([]);
  await fetch(`${nginx.url}/tgapi/bot${TOKEN}/sendDocument`, { method: 'POST', body });
  expect(received[0]!.bytes).toBe(2 * MIB);
});

test('neither an upload nor an answer waits for its end', async () => {
  const socket = connect(nginx.port, '127.0.0.1');
  let answered = '';
  socket.on('data', (chunk) => (answered += chunk));
  socket.write('POST /streamed HTTP/1.1\r\nHost: flotilla\r\nContent-Length: 10\r\n\r\nfirst');
  await waitFor(() => answered.includes('seen'));
  socket.destroy();
});

test('a POST whose connection breaks after it was sent is sent once, where a GET is tried on another pod', async () => {
  const sent = async (method: string) => {
    received.length = 0;
    const response = await fetch(`${nginx.url}/cut`, { method, ...(method === 'POST' ? { body: 'once' } : {}) });
    return { status: response.status, times: received.length };
  };
  expect(await sent('POST')).toEqual({ status: 502, times: 1 });
  // The pod that broke off is passed over for a while.
  await waitFor(async () => (await sent('GET')).times === 2);
});
