import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { rawConnection, rawExchange } from '@flotilla/testing/raw-http.ts';
import { ADMIN_KEY, startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { networkOf } from './client-address.ts';
import { createHttpServer } from './create-http-server.ts';

const STRANGER = '4242:AAstrangerstrangerstrangerstrangerx';

let api: TestApi;
/** The token of a registered bot. */
let token: string;

beforeAll(async () => {
  api = await startTestApi();
  token = (await api.addBot({ long_poll_enabled: true })).token;
}, 60_000);
afterAll(async () => {
  await api?.stop();
});

/** Measures how long (ms) the server keeps this connection open. */
async function closedAfter(port: number, sent: string, trickle = '', timeoutMs = 20_000): Promise<number> {
  const beganAtMs = performance.now();
  const client = await rawConnection(port);
  client.send(sent);
  const trickling = trickle === '' ? undefined : setInterval(() => client.send(trickle), 1000);
  try {
    await waitFor(() => client.closed(), { timeoutMs, message: 'the connection to close' });
    return performance.now() - beganAtMs;
  } finally {
    clearInterval(trickling);
    client.end();
  }
}

const head = (path: string, rest: string) => `POST ${path} HTTP/1.1\r\nHost: h\r\n${rest}\r\n`;
const json = 'Content-Type: application/json\r\nContent-Length: 100\r\n';

describe('a request that does not come to its end is cut within 10 s', () => {
  const chunked = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';
  const requests: [what: string, sent: string, trickle: string][] = [
    ['its head', `POST /api/bots HTTP/1.1\r\nHost: h\r\n`, ''],
    ['its head, which trickles', `POST /api/bots HTTP/1.1\r\nHost: h\r\nX: `, 'x'],
    ['the body of a REST call', head('/api/auth/login', json), ''],
    ['the body of a REST call, which trickles', head('/api/auth/login', json), ' '],
    ['a large body of a REST call, which trickles', head('/api/auth/login', json.replace('100', '900000')), ' '],
    ['a body after the 401', head('/api/bots/add', json), ''],
    ['the body of a pushed update', head('/telegram/1', json), ''],
    ['the body of an intercepted call', `${head(`/bot${STRANGER}/close`, json)}{"a`, ''],
    ['a small body through the proxy, which trickles', head(`/bot${STRANGER}/sendMessage`, json), ' '],
    [
      'a small body in chunks through the proxy, which trickles',
      head(`/bot${STRANGER}/sendMessage`, chunked),
      '1\r\nx\r\n',
    ],
    ['the body of a REST call in chunks, which trickles', head('/api/auth/login', chunked), '1\r\n \r\n'],
    ['the body of a call without a method, which trickles', head(`/bot${STRANGER}/`, json), ' '],
    ['the body in chunks of a call without a method, which trickles', head(`/bot${STRANGER}/`, chunked), '1\r\n \r\n'],
    ['a large body through the proxy', head(`/bot${STRANGER}/sendDocument`, json.replace('100', '9000000')), ''],
    ['a chunked body through the proxy', head(`/bot${STRANGER}/sendDocument`, 'Transfer-Encoding: chunked\r\n'), ''],
  ];
  /** All connections wait in parallel, because each takes seconds. */
  let all: PromiseSettledResult<number>[];

  beforeAll(async () => {
    const sendAll = requests.map(([, sent, trickle]) => closedAfter(api.port, sent, trickle));
    all = await Promise.allSettled(sendAll);
  });

  test.each(requests.map(([what], at) => [what, at] as const))('%s', (_what, at) => {
    expect(all[at]).toMatchObject({ status: 'fulfilled' });
    // A busy machine may close a connection later than the server's check interval explains.
    expect((all[at] as PromiseFulfilledResult<number>).value).toBeLessThan(12_000);
  });
});

const linesOf = (lines: string[], text: string) =>
  lines.filter((line) => line.includes(text)).map((line) => JSON.parse(line) as object);

/** Those that wait for a limit wait in parallel; each has a server or a connection of its own. */
describe('limits of the door', () => {
  test.concurrent('the small body of a known sender may come slowly: of a call that is passed on, of one answered here, and of REST', async () => {
    const body = JSON.stringify({ text: 'x'.repeat(4_000) });
    const typed = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    const requests = [
      head(`/bot${token}/sendMessage`, typed),
      head(`/bot${token}/deleteWebhook`, typed),
      head('/api/bots/validate', `Authorization: Bearer ${ADMIN_KEY}\r\n${typed}`),
    ];
    const clients = await Promise.all(requests.map(() => rawConnection(api.port)));
    const sendAll = (at: (request: string) => string) =>
      clients.map((client, of) => client.send(at(requests[of] ?? '')));
    sendAll((request) => request + body.slice(0, 2_000));
    // A stranger's body that began later was cut by then.
    await closedAfter(api.port, head(`/bot${STRANGER}/sendMessage`, json), ' ');
    expect(clients.map((client) => client.closed())).toEqual([false, false, false]);
    sendAll(() => body.slice(2_000));
    for (const client of clients) expect(await client.waitFor(/\r\n\r\n/)).toMatch(/^HTTP\/1.1 [24]\d\d /);
    for (const client of clients) client.end();
  });

  test.concurrent('the small body of a known sender that makes too little progress in a minute is cut', async () => {
    const chunked = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';
    const small = json.replace('100', '60000');
    const requests: [string, string][] = [
      [head(`/bot${token}/`, small), ' '],
      [head(`/bot${token}/setWebhook`, small), ' '],
      [head(`/bot${token}/getUpdates`, chunked), '1\r\n \r\n'],
      [head(`/bot${token}/sendMessage`, small), ' '],
    ];
    await Promise.all(requests.map(([sent, trickle]) => closedAfter(api.port, sent, trickle, 90_000)));
  }, 100_000);

  test.concurrent('a body of a known sender that is held, and has more than 64 KiB, has 8 s, however fast it comes', async () => {
    const { id, token: own } = await api.addBot({});
    const program = await api.admin('POST', '/api/programs/add', { body: { bot_id: id, name: 'one' } });
    const limits = { program_id: (program.json as { id: number }).id, name: 'a', chats: [5] };
    const made = await api.admin('POST', '/api/programs/tokens/add', { body: limits });
    const ofProgram = (made.json as { token: string }).token;
    const key = `Authorization: Bearer ${ADMIN_KEY}\r\n`;
    const typed = (type: string) => `Content-Type: ${type}\r\nContent-Length: 900000\r\n`;
    const [plain, form] = [typed('application/json'), typed('multipart/form-data; boundary=b')];
    const part = '--b\r\nContent-Disposition: form-data; name="text"\r\n\r\n';
    const requests = [
      head(`/bot${own}/deleteWebhook`, plain),
      head(`/bot${own}/`, plain),
      head(`/bot${ofProgram}/sendMessage`, plain),
      head(`/bot${ofProgram}/sendMessage`, form) + part,
      head('/api/bots/validate', key + plain),
      head('/api/messages/send', key + form) + part,
    ];
    const times = await Promise.all(
      requests.map((request) => closedAfter(api.port, request + 'x'.repeat(70_000), 'x'.repeat(2_000))),
    );
    // None was refused at once.
    for (const time of times) expect(time).toBeGreaterThan(7_500);
  }, 30_000);

  test.concurrent('a large upload that pauses for longer than a small one may take goes on', async () => {
    const platform = createServer((request, response) => {
      request.resume().on('end', () => response.end('{"ok":true,"result":true}'));
    });
    await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
    const pod = await api.startPod({
      TELEGRAM_API_URL: `http://127.0.0.1:${(platform.address() as AddressInfo).port}`,
    });
    const client = await rawConnection(pod.port);
    client.send(`POST /bot${STRANGER}/sendDocument HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n`);
    client.send('x'.repeat(100_000));
    // This call started later: if one timeout covered both, the large upload would have ended first.
    await closedAfter(pod.port, head(`/bot${STRANGER}/sendMessage`, json));
    expect(client.closed()).toBe(false);
    client.send('x'.repeat(100_000));
    await client.waitFor(/"result":true/);
    client.end();
    await pod.stop();
    platform.closeAllConnections();
    platform.close();
  });

  test('a head with more than 200 headers is 431 and nothing of it is passed on', async () => {
    const headers = Array.from({ length: 250 }, (_, at) => `X-${at}: 1\r\n`).join('');
    const answer = await rawExchange(api.port, `GET /bot${STRANGER}/getMe HTTP/1.1\r\nHost: h\r\n${headers}\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 431 /);
  });

  test('a head beyond 64 KiB is 431', async () => {
    const answer = await rawExchange(api.port, `GET /?${'x'.repeat(66_000)} HTTP/1.1\r\nHost: h\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 431 /);
  });

  test.concurrent('a connection on which nothing but empty lines follow a request is cut when it has rested long enough', async () => {
    const log = createLogger({ name: 'test', level: 'silent' });
    const options = { maxConnections: 10, log, keepAliveMs: 1000 };
    const { server } = createHttpServer((_request, response) => void response.end(), options);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    expect(await closedAfter(port, 'GET / HTTP/1.1\r\nHost: h\r\n\r\n', '\r\n')).toBeLessThan(15_000);
    server.close();
  });

  test.concurrent('a flood of requests sent ahead of the answer to a poll is cut', async () => {
    const added = await api.platform.createBot({});
    const poll = `GET /bot${added.token}/getUpdates?timeout=20 HTTP/1.1\r\nHost: h\r\n\r\n`;
    expect(await closedAfter(api.port, poll.repeat(1000))).toBeLessThan(10_000);
  });

  test('connections beyond the limit are refused, and taken again when others have gone', async () => {
    const pod = await api.startPod({ MAX_CONNECTIONS: '10' });
    const held = await Promise.all(Array.from({ length: 10 }, () => rawConnection(pod.port)));
    const exchange = async () => {
      const client = await rawConnection(pod.port);
      client.send('GET /livez HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
      await waitFor(() => client.closed());
      return client.received();
    };
    expect(await exchange()).toBe('');
    for (const client of held) client.end();
    await waitFor(async () => (await exchange()).startsWith('HTTP/1.1 200'));
    await pod.stop();
  });

  test('connections of one address beyond its limit are refused, logged, and taken again when others have gone', async () => {
    const pod = await api.startPod({ MAX_CONNECTIONS_PER_ADDRESS: '5' });
    const from = (localAddress: string) => rawConnection(pod.port, { localAddress });
    const isServed = async (localAddress: string) => {
      const client = await from(localAddress);
      client.send('GET /livez HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
      return (await client.waitForClose()).startsWith('HTTP/1.1 200');
    };
    const held = await Promise.all(Array.from({ length: 5 }, () => from('127.0.0.2')));
    expect([await isServed('127.0.0.2'), await isServed('127.0.0.3')]).toEqual([false, true]);
    const others = await Promise.all(Array.from({ length: 300 }, () => isServed('127.0.0.2')));
    expect(new Set(others)).toEqual(new Set([false]));
    expect(linesOf(api.logLines, '"address":"127.0.0.2"')).toEqual([
      expect.objectContaining({ limit: 5, address: '127.0.0.2' }),
    ]);
    for (const client of held) client.end();
    await waitFor(() => isServed('127.0.0.2'));
    await pod.stop();
  });

  test('connections of trusted proxies are not counted, those of an IPv6 network are counted together', async () => {
    const pod = await api.startPod({ MAX_CONNECTIONS_PER_ADDRESS: '2', TRUSTED_PROXIES: '127.0.0.0/24' });
    const held = await Promise.all(Array.from({ length: 20 }, () => rawConnection(pod.port)));
    for (const client of held) client.send('GET /livez HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
    for (const client of held) expect(await client.waitForClose()).toMatch(/^HTTP\/1.1 200/);
    await pod.stop();
    expect(new Set(['2001:db8:1:2::1', '2001:db8:1:2:ffff::'].map(networkOf)).size).toBe(1);
    expect(new Set(['2001:db8:1:2::1', '2001:db8:1:3::1', '::1'].map(networkOf)).size).toBe(3);
    expect(new Set(['::ffff:192.0.2.1', '192.0.2.1'].map(networkOf)).size).toBe(1);
  });

  test.concurrent('an answer that nobody takes is given up, and one that is taken slowly is not', async () => {
    const body = Buffer.alloc(30_000_000, 'x');
    const log = createLogger({ name: 'test', level: 'silent' });
    const { server } = createHttpServer((_request, response) => void response.end(body), { maxConnections: 10, log });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const [deaf, slow] = [await rawConnection(port), await rawConnection(port)];
    let taken = 0;
    for (const { socket } of [deaf, slow]) {
      socket.removeAllListeners('data').pause();
      socket.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
    }
    slow.socket.on('data', (chunk: Buffer) => {
      taken += chunk.length;
      slow.socket.pause();
    });
    slow.socket.pause();
    const taking = setInterval(() => slow.socket.resume(), 100);
    const connections = () =>
      new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
    expect(await connections()).toBe(2);
    await waitFor(async () => (await connections()) === 1, { timeoutMs: 45_000, message: 'the deaf one to be cut' });
    expect(slow.closed()).toBe(false);
    clearInterval(taking);
    slow.socket.removeAllListeners('data').on('data', (chunk: Buffer) => {
      taken += chunk.length;
    });
    slow.socket.resume();
    await waitFor(() => taken > body.length);
    for (const client of [deaf, slow]) client.end();
    server.close();
  }, 60_000);
});
