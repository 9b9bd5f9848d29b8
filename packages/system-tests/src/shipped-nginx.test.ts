import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { freePort } from '@flotilla/embedded/free-port.ts';
import { type Nginx, startNginx } from '@flotilla/testing/fleet/nginx.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

const TOKEN = '123456:AAsecretSECRETsecretSECRETsecretSEC';
const MIB = 1 << 20;

/** The api is replaced by a server that records the requests. */
const received: { url: string; headers: IncomingMessage['headers']; bytes: number }[] = [];
let api: Server;
let nginx: Nginx;

beforeAll(async () => {
  api = createServer((request, response) => {
    const entry = { url: request.url ?? '', headers: request.headers, bytes: 0 };
    received.push(entry);
    request.on('data', (chunk: Buffer) => {
      entry.bytes += chunk.length;
      // Without buffering, the first response byte arrives before the last request byte is sent.
      if (request.url === '/streamed') response.write('seen');
    });
    if (request.url === '/api/flood') return void response.writeHead(429, { 'Retry-After': '7' }).end('as it is');
    if (request.url?.endsWith('?hold')) return;
    request.on('end', () => response.end());
    if (request.url?.endsWith('cut')) request.socket.destroy();
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  const { port } = api.address() as AddressInfo;
  // A header of the test sets the client's address.
  const server = 'set_real_ip_from 127.0.0.1; real_ip_header X-Test-Address;';
  nginx = await startNginx({ apiPorts: [port, port], server });
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
    `/botapi/bot${TOKEN}/getMe`,
    `/tgapi/bot${TOKEN}/get%0aMe`,
    `/tgapi/bot${TOKEN}/bot${TOKEN}/getMe`,
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
  expect(lines).toContain('/botapi/bot123456[redacted]/getMe');
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
  await fetch(`${nginx.url}/api/messages/send`, { method: 'POST', body });
  expect(received.map(({ bytes }) => bytes)).toEqual([2 * MIB, 2 * MIB]);
});

test('the console without a slash is found on whatever host, port and scheme were asked', async () => {
  const { headers } = await fetch(`${nginx.url}/console`, { redirect: 'manual' });
  expect(headers.get('location')).toBe('/console/');
});

test('neither an upload nor an answer waits for its end', async () => {
  const socket = connect(nginx.port, '127.0.0.1');
  let answered = '';
  socket.on('data', (chunk) => (answered += chunk));
  socket.write('POST /streamed HTTP/1.1\r\nHost: flotilla\r\nContent-Length: 10\r\n\r\nfirst');
  await waitFor(() => answered.includes('seen'));
  socket.destroy();
});

const METHODS = ['POST', 'GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'];
const PATHS = ['/', `/bot${TOKEN}/sendMessage?text=a%20b`, '/api/updates/poll', '/admin/queues', '/console/'];

describe('of pods none of which is skipped after a failure', () => {
  let apiPort: number;
  let own: Nginx;
  beforeEach(() => {
    apiPort = (api.address() as AddressInfo).port;
  });
  afterEach(() => own.stop());

  test('a request whose connection breaks after it was sent is sent once, whatever its method and path', async () => {
    own = await startNginx({ apiPorts: [apiPort, apiPort], maxFails: 0 });
    for (const method of METHODS) {
      for (const path of PATHS) {
        received.length = 0;
        const { status } = await fetch(`${own.url}${path}${path.includes('?') ? '&' : '?'}cut`, { method });
        expect([method, path, status, received.length]).toEqual([method, path, 502, 1]);
      }
    }
  });

  test('a request for which no connection can be made is sent to another pod, whatever its method and path', async () => {
    own = await startNginx({ apiPorts: [await freePort(), apiPort], maxFails: 0 });
    for (const method of METHODS) {
      for (const path of PATHS) {
        received.length = 0;
        const statuses: number[] = [];
        for (let at = 0; at < 4; at += 1) statuses.push((await fetch(`${own.url}${path}`, { method })).status);
        expect([method, path, statuses]).toEqual([method, path, [200, 200, 200, 200]]);
        expect(received.map(({ url }) => url)).toEqual(Array(4).fill(path));
      }
    }
  });

  test('a body for which no connection can be made goes to another pod as a whole', async () => {
    own = await startNginx({ apiPorts: [await freePort(), apiPort], maxFails: 0 });
    received.length = 0;
    const sizes = [10, 10, 100_000, 100_000, 3_000_000, 3_000_000];
    for (const bytes of sizes) {
      const response = await fetch(`${own.url}/bot${TOKEN}/sendDocument`, { method: 'POST', body: 'x'.repeat(bytes) });
      expect([bytes, response.status]).toEqual([bytes, 200]);
    }
    expect(received.map(({ bytes }) => bytes)).toEqual(sizes);
  });
});

const SIGN_IN = '/api/auth/login';
const POLL = `/tgapi/bot${TOKEN}/getUpdates`;
const ask = (path: string, address: string, init: RequestInit = {}) =>
  fetch(`${nginx.url}${path}`, { ...init, headers: { 'x-test-address': address } });

describe('of one client', () => {
  // nginx may still skip both pods after the earlier tests.
  beforeAll(() => waitFor(async () => (await ask('/api/bots', '192.0.2.0')).status === 200));

  const signIns = async (address: (at: number) => string, count: number) => {
    const answers = await Promise.all(
      Array.from({ length: count }, (_, at) => ask(SIGN_IN, address(at), { method: 'POST', body: '{}' })),
    );
    return answers;
  };
  const statuses = (answers: Response[]) => answers.map(({ status }) => status);

  test('20 sign-ins at once reach the api, further ones are 429 in its own words, and all else goes on', async () => {
    const answers = await signIns(() => '192.0.2.1', 40);
    const refused = answers.filter(({ status }) => status === 429);
    // The limit admits one more sign-in every two seconds.
    expect(refused.length).toBeGreaterThan(10);
    expect(statuses(answers).filter((status) => status === 200).length).toBeGreaterThanOrEqual(21);
    expect(refused[0]!.headers.get('retry-after')).toBe('5');
    expect(await refused[0]!.json()).toEqual({ error: expect.any(String), code: 'too_many_requests' });
    expect((await ask('/api/bots', '192.0.2.1')).status).toBe(200);
    expect((await ask(`${SIGN_IN}/`, '192.0.2.1', { method: 'POST', body: '{}' })).status).toBe(429);
    expect((await ask(SIGN_IN, '192.0.2.2', { method: 'POST', body: '{}' })).status).toBe(200);
  });

  test('the addresses of an IPv6 network are one client, another network is another', async () => {
    const answers = await signIns((at) => `2001:db8:0:1::${at.toString(16)}`, 40);
    expect(statuses(answers)).toContain(429);
    expect(statuses(await signIns((at) => `2001:db8:0:${at + 10}::1`, 40))).not.toContain(429);
  });

  test('4,000 polls may wait, a further one is 429 as the Bot API says it, and no other client notices', async () => {
    const held: Socket[] = [];
    const polls = () => received.filter(({ url }) => url === `${POLL}?hold`).length;
    received.length = 0;
    for (let at = 0; at < 4000; at += 1) {
      const socket = connect(nginx.port, '127.0.0.1').on('error', () => undefined);
      socket.write(`GET ${POLL}?hold HTTP/1.1\r\nHost: h\r\nX-Test-Address: 192.0.2.3\r\n\r\n`);
      held.push(socket);
      // Connect no faster than the server accepts connections.
      if (held.length % 200 === 0) await waitFor(() => polls() === held.length, { message: 'the polls at the api' });
    }
    const refused = await ask(POLL, '192.0.2.3');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    expect(await refused.json()).toEqual({
      ok: false,
      error_code: 429,
      description: 'Too Many Requests: retry after 5',
      parameters: { retry_after: 5 },
    });
    expect((await ask('/api/bots', '192.0.2.3')).status).toBe(429);
    expect((await ask('/telegram/1', '192.0.2.3', { method: 'POST', body: '{}' })).status).toBe(200);
    expect((await ask(POLL, '192.0.2.4')).status).toBe(200);
    for (const socket of held) socket.destroy();
    await waitFor(async () => (await ask(POLL, '192.0.2.3')).status === 200);
  }, 60_000);
});

test('a sign-in of more than 16 KiB is refused, also by the address that may send more elsewhere', async () => {
  received.length = 0;
  const refused = await ask(SIGN_IN, '192.0.2.9', { method: 'POST', body: Buffer.alloc(16 * 1024 + 1) });
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([413, 'payload_too_large']);
  expect(received).toEqual([]);
});

test('a 429 of the api is passed on as it is', async () => {
  const answer = await ask('/api/flood', '192.0.2.10');
  expect([answer.status, answer.headers.get('retry-after'), await answer.text()]).toEqual([429, '7', 'as it is']);
});
