import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rawExchange } from '@flotilla/testing/raw-http.ts';
import { type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const PAGE = '<!doctype html><title>Flotilla</title><script type="module" src="/console/assets/main-1a2b.js"></script>';
const SCRIPT = `console.log(${JSON.stringify('fleet '.repeat(400))})`;

let folder: string;
let api: TestApi;
let get: (path: string, headers?: Record<string, string>) => ReturnType<RestClient>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'console-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), PAGE);
  await writeFile(join(folder, '.made-of'), 'a hash');
  await writeFile(join(folder, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  await writeFile(join(folder, 'assets/main-1a2b.js'), SCRIPT);
  api = await startTestApi({}, { consoleDir: folder });
  get = (path, headers = {}) => restClient(api.url)('GET', path, { headers });
}, 60_000);

afterAll(async () => {
  await api?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('the root leads to the console, and so does its path without a slash', async () => {
  const [root, bare] = [await get('/'), await get('/console')];
  expect([root.status, root.headers.get('location')]).toEqual([303, '/console/']);
  expect([bare.status, bare.headers.get('location')]).toEqual([308, '/console/']);
});

test.each(['/console/', '/console/bots/7', '/console/?q=shop', '/console/index.html'])(
  'the path %s of a screen is the page, which a browser asks for again each time',
  async (path) => {
    const { status, text, headers } = await get(path);
    expect([status, text]).toEqual([200, PAGE]);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-cache');
    const again = await raw(path, `If-None-Match: ${headers.get('etag')}`);
    expect(again.split('\r\n')[0]).toBe('HTTP/1.1 304 Not Modified');
  },
);

test('the page runs scripts of its own origin only, and turns no string into HTML', async () => {
  const policy = (await get('/console/')).headers.get('content-security-policy')?.split('; ');
  expect(policy).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "img-src 'self' blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]);
});

test('an asset is kept for ever, and sent compressed to whoever takes that', async () => {
  const { status, text, headers } = await get('/console/assets/main-1a2b.js', { 'accept-encoding': 'identity' });
  expect([status, text]).toEqual([200, SCRIPT]);
  expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect([headers.get('vary'), headers.get('content-encoding')]).toEqual(['Accept-Encoding', null]);
  const compressed = await fetch(`${api.url}/console/assets/main-1a2b.js`, { headers: { 'accept-encoding': 'gzip' } });
  expect(compressed.headers.get('content-encoding')).toBe('gzip');
  expect(Number(compressed.headers.get('content-length'))).toBeLessThan(SCRIPT.length / 2);
  expect(await compressed.text()).toBe(SCRIPT);
});

test('a file whose name has no hash is asked for again each time', async () => {
  const { status, headers } = await get('/console/favicon.svg');
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-cache']);
  expect(headers.get('content-type')).toBe('image/svg+xml');
});

test.each([
  '/console/assets/main-0000.js',
  '/console/assets/bots',
  '/console/assets/',
  '/console/gone.js',
  '/console/.made-of',
  '/console/..%2fpackage.json',
])('the file %s is not there: no page in its place, and nothing that a browser keeps', async (path) => {
  const { status, json, headers } = await get(path);
  expect([status, headers.get('cache-control')]).toEqual([404, 'no-store']);
  expect(json).toMatchObject({ code: 'not_found' });
});

test('nothing takes another method', async () => {
  for (const path of ['/', '/console', '/console/', '/console/bots/7']) {
    const refused = await restClient(api.url)('POST', path);
    expect([path, refused.status, refused.headers.get('allow')]).toEqual([path, 405, 'GET, HEAD']);
  }
});

test('without a built console the root leads to the document, and REST answers as ever', async () => {
  const pod = await api.startPod({}, { consoleDir: join(folder, 'assets') });
  const ask = (path: string) => restClient(pod.url)('GET', path);
  const root = await ask('/');
  expect([root.status, root.headers.get('location')]).toEqual([303, '/docs']);
  for (const path of ['/console', '/console/', '/console/bots/7']) {
    expect({ path, status: (await ask(path)).status }).toEqual({ path, status: 404 });
  }
  expect((await ask('/api/bots')).status).toBe(401);
});

test('a pod keeps the console that it started with while the folder is replaced', async () => {
  const replaced = await mkdtemp(join(tmpdir(), 'console-'));
  await writeFile(join(replaced, 'index.html'), PAGE);
  const pod = await api.startPod({}, { consoleDir: replaced });
  await rm(replaced, { recursive: true });
  expect((await restClient(pod.url)('GET', '/console/')).text).toBe(PAGE);
});

/** A raw request, because fetch disables caching when the caller sets If-None-Match. */
function raw(path: string, header: string): Promise<string> {
  return rawExchange(api.port, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${header}\r\n\r\n`);
}

test('a path of many dots is answered at once', async () => {
  const startedMs = performance.now();
  expect((await get(`/console/${'.'.repeat(60_000)}/`)).status).toBe(200);
  expect(performance.now() - startedMs).toBeLessThan(5_000);
});
