import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { parseProxyUrl } from '@flotilla/runtime/proxy-url.ts';
import { HOST_BEHIND_PROXY, type ProxyServer, startProxyServer } from '@flotilla/testing/proxy-server.ts';
import { startTlsAuthority } from '@flotilla/testing/tls-authority.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { platformClient } from './platform-client.ts';
import { pollingClient } from './polling-client.ts';

const TOKEN = '123456:AAbbCCddEEffGGhhIIjjKKllMMnnOOppQQr';
const KINDS = ['http', 'https', 'socks5'] as const;
const stops: (() => unknown)[] = [];
const proxies = {} as Record<(typeof KINDS)[number], ProxyServer>;
/** Where the platform is for who goes through the proxy: over HTTP, and over TLS. */
const platforms: Record<string, string> = {};

/** Tells what arrived: the path, and how many bytes. */
const platform: RequestListener = async (request, response) => {
  let bytes = 0;
  for await (const piece of request) bytes += piece.length;
  if (request.url?.startsWith('/file/')) response.end('of the file');
  else response.end(JSON.stringify({ ok: true, result: [request.url, bytes] }));
};

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  const tls = await (await startTlsAuthority()).issue(`DNS:${HOST_BEHIND_PROXY}`);
  const [cert, key] = [readFileSync(tls.certFile), readFileSync(tls.keyFile)];
  platforms.HTTP = `http://${HOST_BEHIND_PROXY}:${await listen(createHttpServer(platform))}`;
  platforms.HTTPS = `https://${HOST_BEHIND_PROXY}:${await listen(createHttpsServer({ cert, key }, platform))}`;
  for (const kind of KINDS) proxies[kind] = await startProxyServer(kind);
  const trusted = getCACertificates('default');
  const added = [tls.caFile, ...KINDS.flatMap((kind) => proxies[kind].caFile ?? [])];
  setDefaultCACertificates([...trusted, ...added.map((file) => readFileSync(file, 'utf8'))]);
  stops.push(() => setDefaultCACertificates(trusted));
});
afterAll(async () => {
  for (const kind of KINDS) await proxies[kind]?.stop();
  await Promise.all(stops.map((stop) => stop()));
});

function clients(apiUrl: string, proxyUrl: string) {
  const proxy = parseProxyUrl(proxyUrl);
  const polling = pollingClient({ apiUrl, proxy });
  stops.push(polling.close);
  const poll = () =>
    polling.getUpdates(TOKEN, { offset: 1 }, { timeoutMs: 20_000, signal: new AbortController().signal });
  return { client: platformClient({ apiUrl, proxy }), poll };
}

describe.each(KINDS)('through a proxy of the kind %s', (kind) => {
  test.each(['HTTP', 'HTTPS'])('a platform with %s gets calls, uploads and polls, and gives files', async (scheme) => {
    const before = proxies[kind].tunnels();
    const { client, poll } = clients(platforms[scheme] as string, proxies[kind].url());
    const path = (method: string) => `/bot${TOKEN}/${method}`;
    expect(await client.call(TOKEN, 'getMe')).toMatchObject({ result: [path('getMe'), 2] });
    const file = { field: 'photo', name: 'a.png', mime: 'image/png', stream: Readable.from([Buffer.alloc(300_000)]) };
    const sent = await client.upload(TOKEN, 'sendPhoto', { chat_id: 1 }, [{ ...file, size: 300_000 } as never]);
    expect(sent).toMatchObject({ outcome: 'ok', result: [path('sendPhoto'), expect.any(Number)] });
    expect((sent as { result: [string, number] }).result[1]).toBeGreaterThan(300_000);
    const opened = await client.openFile(TOKEN, 'photos/file_0.jpg');
    expect(opened).toMatchObject({ outcome: 'open', status: 200 });
    expect(await text((opened as { stream: Readable }).stream)).toBe('of the file');
    expect(await poll()).toMatchObject({ result: [path('getUpdates'), 12] });
    expect(await poll()).toMatchObject({ outcome: 'ok' });
    // Connections are kept alive: fewer than the calls.
    expect(proxies[kind].tunnels() - before).toBeLessThan(5);
  });

  test.each([
    ['a wrong password', 'an%20operator:hunter2@', /refuses the user or the password/],
    ['no login', '', /wants a user and a password/],
  ])('%s is unreachable and says so, without the password', async (_what, login, reason) => {
    const { client, poll } = clients(platforms.HTTPS as string, proxies[kind].url(login));
    for (const answer of [await client.call(TOKEN, 'getMe'), await poll()]) {
      expect(answer).toMatchObject({ outcome: 'unreachable', timedOut: false, reason: expect.stringMatching(reason) });
      expect(JSON.stringify(answer)).toContain('TELEGRAM_PROXY');
      expect(JSON.stringify(answer)).not.toContain('hunter2');
    }
    expect(await client.call(TOKEN, 'getMe')).toMatchObject({ neverSent: true });
    expect(await client.openFile(TOKEN, 'f')).toMatchObject({
      outcome: 'unreachable',
      reason: expect.stringMatching(reason),
    });
  });

  test('a destination that refuses is unreachable', async () => {
    const { client } = clients(`https://${HOST_BEHIND_PROXY}:1`, proxies[kind].url());
    const answer = await client.call(TOKEN, 'getMe');
    expect(answer).toMatchObject({
      outcome: 'unreachable',
      reason: expect.stringMatching(/gives no way to the server|without an answer/),
    });
  });

  test('a proxy that is not there is unreachable, and so is what is no proxy', async () => {
    const absent = clients(platforms.HTTP as string, `${kind}://u:hunter2@127.0.0.1:1`);
    const port = await listen(createTcpServer((socket) => socket.on('error', () => {}).end('SSH-2.0-OpenSSH\r\n')));
    const other = clients(platforms.HTTP as string, `${kind}://u:hunter2@127.0.0.1:${port}`);
    for (const [{ client, poll }, reason] of [
      [absent, /^the proxy could not be reached \(TELEGRAM_PROXY\)$/],
      [other, /proxy/],
    ] as const) {
      for (const answer of [await client.call(TOKEN, 'getMe'), await poll()]) {
        expect(answer).toMatchObject({ outcome: 'unreachable', reason: expect.stringMatching(reason) });
        expect(JSON.stringify(answer)).not.toMatch(/hunter2|127\.0\.0\.1/);
      }
    }
  });
});
