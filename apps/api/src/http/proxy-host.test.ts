import { hostName } from '@flotilla/runtime/host-name.ts';
import { rawExchange } from '@flotilla/testing/raw-http.ts';
import { ADMIN_KEY, ADMIN_PASSWORD, testApi } from '@flotilla/testing/test-api.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';

const api = testApi();
let token: string;
/** Ports of three apis: with a host for the proxy, without trusted proxies, with an IP address as the proxy's host. */
let port: number;
let untrusting: number;
let onIpv6: number;

beforeAll(async () => {
  token = (await api.addBot({ long_poll_enabled: true })).token;
  const settings = { PROXY_HOST: 'Bots.Example.com', PUBLIC_URL: 'https://flotilla.example.com' };
  port = (await api.startPod({ ...settings, TRUSTED_PROXIES: '127.0.0.1' })).port;
  untrusting = (await api.startPod(settings)).port;
  onIpv6 = (await api.startPod({ ...settings, PROXY_HOST: '::1' })).port;
}, 60_000);

type Asked = { path: string; headers?: string; method?: string; body?: string; at?: number };

async function ask(host: string, { path, headers = '', method = 'GET', body = '', at = port }: Asked) {
  const length = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  const head = `${method} ${path.replace('T', token)} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${headers}${length}`;
  const answer = await rawExchange(at, `${head}\r\n${body}`);
  const text = answer.slice(answer.indexOf('\r\n\r\n') + 4);
  return { status: Number(answer.split(' ')[1]), head: answer.slice(0, answer.indexOf('\r\n\r\n')), text };
}

const withKey = `Authorization: Bearer ${ADMIN_KEY}\r\n`;
const PROXY_PATHS = ['/tgapi/botT/getMe', '/botT/getMe', '/botT/getWebhookInfo'];
const OTHER_PATHS = [
  '/',
  '/api/bots',
  '/api/auth/me',
  '/docs',
  '/docs/page.js',
  '/openapi.json',
  '/admin/queues',
  '/telegram/1',
  '/nothing',
];
const ITS_HOSTS = [
  'bots.example.com',
  'BOTS.example.COM',
  'bots.example.com:8443',
  'bots.example.com.',
  'bots.example.com.:80',
];
const OTHER_HOSTS = [
  'flotilla.example.com',
  '127.0.0.1',
  'localhost:8080',
  'example.com',
  'xbots.example.com',
  'bots.example.com.evil.example',
  'bots.example.comx',
  'bots.example.com@flotilla.example.com',
  '[::1]',
];

describe.each(ITS_HOSTS)('on the host %s the proxy answers and nothing else does', (host) => {
  test.each(PROXY_PATHS)('%s', async (path) => {
    expect((await ask(host, { path })).text).toContain('{"ok":true,"result":');
  });

  test.each(OTHER_PATHS)('%s is 404', async (path) => {
    const answer = await ask(host, { path, headers: withKey });
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'not_found', request_id: expect.any(String) });
  });

  test('nobody signs in, but probes are answered', async () => {
    const body = JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD });
    const answer = await ask(host, { path: '/api/auth/login', method: 'POST', body });
    expect([answer.status, /set-cookie/i.test(answer.head)]).toEqual([404, false]);
    for (const path of ['/livez', '/readyz']) expect((await ask(host, { path })).status).toBe(200);
  });
});

describe.each(OTHER_HOSTS)('on the host %s all but the proxy answers', (host) => {
  const calls = async () => (await api.platform.readCalls({ bot: Number(token.split(':')[0]), method: 'getMe' })).total;

  test.each([...PROXY_PATHS, '/botT/', '/file/botT/photos/1.jpg', '/tgapi/botT/logOut'])('%s is 404', async (path) => {
    const before = await calls();
    const answer = await ask(host, { path });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      404,
      { ok: false, error_code: 404, description: 'Not Found: the Bot API is on another host' },
    ]);
    expect(answer.head).toContain("Content-Security-Policy: sandbox; default-src 'none'");
    expect(await calls()).toBe(before);
  });

  test('REST, its pages and probes', async () => {
    for (const path of ['/api/bots', '/docs', '/openapi.json', '/livez']) {
      expect([path, (await ask(host, { path, headers: withKey })).status]).toEqual([path, 200]);
    }
  });
});

test('getUpdates on another host is not refused at once, since some clients ask again without a pause', async () => {
  const beganAtMs = performance.now();
  expect((await ask('127.0.0.1', { path: '/botT/getUpdates' })).status).toBe(404);
  expect(performance.now() - beganAtMs).toBeGreaterThan(900);
});

test('what a trusted load balancer was asked for counts, and nobody else’s word for it', async () => {
  const forwarded = (host: string) => `X-Forwarded-Host: ${host}\r\n${withKey}`;
  const statuses = async (host: string, headers: string, at: number) => [
    (await ask(host, { path: '/botT/getMe', headers, at })).status,
    (await ask(host, { path: '/api/bots', headers, at })).status,
  ];
  expect(await statuses('10.0.0.1', forwarded('bots.example.com'), port)).toEqual([200, 404]);
  expect(await statuses('10.0.0.1', forwarded('Bots.example.com:443, other'), port)).toEqual([200, 404]);
  expect(await statuses('bots.example.com', forwarded('flotilla.example.com'), port)).toEqual([404, 200]);
  expect(await statuses('10.0.0.1', forwarded('bots.example.com'), untrusting)).toEqual([404, 200]);
  expect(await statuses('bots.example.com', forwarded('flotilla.example.com'), untrusting)).toEqual([200, 404]);
});

test('the host in a whole URL counts before the header', async () => {
  const path = 'http://bots.example.com/api/bots';
  expect((await ask('flotilla.example.com', { path, headers: withKey })).status).toBe(404);
  const other = 'http://flotilla.example.com/api/bots';
  expect((await ask('bots.example.com', { path: other, headers: withKey })).status).toBe(200);
});

test('an IPv6 address is a host in any of its spellings', async () => {
  for (const host of ['[::1]', '[::1]:8080', '[0:0:0:0:0:0:0:1]', '[0::0001]:1']) {
    expect((await ask(host, { path: '/botT/getMe', at: onIpv6 })).status).toBe(200);
    expect((await ask(host, { path: '/api/bots', headers: withKey, at: onIpv6 })).status).toBe(404);
  }
  expect((await ask('[::2]', { path: '/botT/getMe', at: onIpv6 })).status).toBe(404);
});

test('without the setting every host has everything', async () => {
  for (const host of ['bots.example.com', 'x']) {
    expect((await ask(host, { path: '/botT/getMe', at: api.port })).status).toBe(200);
    expect((await ask(host, { path: '/api/bots', headers: withKey, at: api.port })).status).toBe(200);
  }
});

test.each([
  ['Bots.Example.COM.:443', 'bots.example.com'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['::1', '[::1]'],
  ['[0:0::1]:80', '[::1]'],
  ['127.1', '127.0.0.1'],
  ['', ''],
  ['a b', ''],
  ['http://bots.example.com', ''],
  ['bots.example.com/', ''],
  ['x@bots.example.com', ''],
  ['bots.example.com\\', ''],
  ['[::1', ''],
])('the name of the host %j is %j', (host, name) => {
  expect(hostName(host)).toBe(name);
});
