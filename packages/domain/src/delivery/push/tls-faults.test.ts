import { readFile } from 'node:fs/promises';
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { NameLookup } from '@flotilla/runtime/shared-lookup.ts';
import { aBot } from '@flotilla/testing/a-bot.ts';
import { allowOnly } from '@flotilla/testing/allow-only.ts';
import {
  makeSelfSigned,
  startTlsAuthority,
  type TlsAuthority,
  type TlsFiles,
} from '@flotilla/testing/tls-authority.ts';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Bot } from '../../fleet/bots/bot.ts';
import { type BackendConnections, backendConnections } from './backend-connections.ts';
import { checkBackendHealth } from './check-backend-health.ts';
import { sendToBackend } from './send-to-backend.ts';

const never = new AbortController().signal;
const asked: string[] = [];
/** Every name is at 127.0.0.1, but nobody may be asked for one that is pinned. */
const lookup: NameLookup = (hostname, _options, done) => {
  asked.push(hostname);
  done(null, [{ address: '127.0.0.1', family: 4 }]);
};
const stops: (() => unknown)[] = [];
let authority: TlsAuthority;
let issued: TlsFiles;
let ca: string;
let connections: BackendConnections;

beforeAll(async () => {
  authority = await startTlsAuthority();
  issued = await authority.issue('IP:127.0.0.1', 'DNS:bot.example');
  ca = await readFile(authority.caFile, 'utf8');
});
beforeEach(() => {
  asked.length = 0;
  connections = backendConnections(allowOnly(['127.0.0.1/32'], lookup));
});
afterEach(async () => {
  await connections.close();
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

async function listen(server: Server | TcpServer, scheme = 'https', host = '127.0.0.1'): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  });
  return `${scheme}://${host}:${(server.address() as AddressInfo).port}/`;
}

async function tlsServer(files: Omit<TlsFiles, 'caFile'>, options: ServerOptions = {}): Promise<TcpServer> {
  const [cert, key] = await Promise.all([readFile(files.certFile), readFile(files.keyFile)]);
  return createHttpsServer({ cert, key, ...options }, (request, response) => {
    request.resume();
    response.end(String((request.socket as TLSSocket).servername));
  });
}

const send = (backend_url: string, bot: Partial<Bot> = {}) => {
  const backend = aBot({ proxy_enabled: true, backend_url: backend_url, ...bot });
  return sendToBackend(connections.to(backend), backend, { id: 1, raw: '{}' }, never);
};

describe('a fault of TLS is told in a sentence, to the attempts as to the check of health:', () => {
  const oldest = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  const closing = () => createTcpServer((socket) => void socket.once('data', () => socket.end()).on('error', () => {}));
  test.each<[string, () => Promise<TcpServer | Server>, () => string, string | RegExp]>([
    ['plain http', async () => createHttpServer(), () => '', /^The backend answers plain http.*: is its URL http/],
    ['no TLS', async () => closing(), () => '', /^The backend closed the connection during the TLS handshake/],
    ['self-signed', async () => tlsServer(await makeSelfSigned('127.0.0.1')), () => '', /self-signed: give it to/],
    ['another one', async () => tlsServer(await makeSelfSigned('127.0.0.1')), () => ca, /is not the one that/],
    ['unknown issuer', () => tlsServer(issued), () => '', /^The issuer of the backend's certificate is unknown/],
    ['expired', async () => tlsServer(await authority.issueExpired('IP:127.0.0.1')), () => ca, /has expired$/],
    ['old protocol', () => tlsServer(issued, oldest), () => ca, /only versions of TLS before 1.2/],
    [
      'wrong name',
      async () => tlsServer(await authority.issue('DNS:elsewhere.example')),
      () => ca,
      'The certificate of the backend is not for 127.0.0.1, the host of the URL',
    ],
    [
      'a certificate of ours is wanted',
      () => tlsServer(issued, { requestCert: true, rejectUnauthorized: true, ca, maxVersion: 'TLSv1.2' }),
      () => ca,
      /^The backend refuses the TLS handshake/,
    ],
  ])('%s', async (_name, start, certificate, words) => {
    const url = await listen(await start());
    const backend = { backend_certificate: certificate() };
    const reason = typeof words === 'string' ? words : expect.stringMatching(words);
    expect(await send(url, backend)).toEqual({ outcome: 'failed', code: 'unreachable', reason });
    const owner = aBot({ proxy_enabled: true, backend_url: url, ...backend });
    expect(await checkBackendHealth({ backends: connections }, owner, never)).toMatchObject({
      ...{ healthy: false, status_code: 0, error: reason },
    });
  });
});

describe('a certificate that was given to setWebhook', () => {
  test("is right with the host in its common name only, as the platform's guide makes it", async () => {
    for (const host of ['127.0.0.1', 'bot.example']) {
      const files = await makeSelfSigned(host);
      const url = await listen(await tlsServer(files), 'https', host);
      const backend_certificate = await readFile(files.certFile, 'utf8');
      expect(await send(url, { backend_certificate: backend_certificate })).toMatchObject({ outcome: 'delivered' });
    }
  });

  test('is wrong for another host in its common name, also on the backend that it is from', async () => {
    const files = await makeSelfSigned('127.0.0.2');
    const url = await listen(await tlsServer(files));
    const backend_certificate = await readFile(files.certFile, 'utf8');
    expect(await send(url, { backend_certificate: backend_certificate })).toMatchObject({
      reason: expect.stringContaining('is not for'),
    });
  });

  test('is needed for a common name to count', async () => {
    const files = await authority.issue('DNS:other.example');
    const url = await listen(await tlsServer(files));
    expect(await send(url, { backend_certificate: ca })).toMatchObject({ outcome: 'failed' });
  });
});

describe('a pinned address', () => {
  test('is called without a lookup, with the name of the URL in SNI and in the check of the certificate', async () => {
    const url = await listen(await tlsServer(issued), 'https', 'bot.example');
    const pinned = { backend_ip_address: '127.0.0.1', backend_certificate: ca };
    expect(await send(url, pinned)).toMatchObject({
      outcome: 'delivered',
      start: { text: 'bot.example', isCut: false },
    });
    const wrong = await listen(await tlsServer(issued), 'https', 'elsewhere.example');
    expect(await send(wrong, pinned)).toMatchObject({ reason: expect.stringContaining('elsewhere.example') });
    expect(asked).toEqual([]);
  });

  test('holds for http as well, and for a URL with another address', async () => {
    const server = createHttpServer((request, response) => {
      request.resume();
      response.end(request.headers.host);
    });
    const url = await listen(server, 'http', 'bot.example');
    const { port } = new URL(url);
    const pinned = { backend_ip_address: '127.0.0.1' };
    expect(await send(url, pinned)).toMatchObject({
      outcome: 'delivered',
      start: { text: `bot.example:${port}`, isCut: false },
    });
    expect(await send(`http://93.184.216.34:${port}/`, pinned)).toMatchObject({
      start: { text: `93.184.216.34:${port}`, isCut: false },
    });
    expect(asked).toEqual([]);
  });

  test.each(['169.254.169.254', '127.0.0.2', '::1'])('is refused where no backend may be: %s', async (address) => {
    const pinned = { backend_ip_address: address };
    expect(await send('https://bot.example/', pinned)).toMatchObject({ outcome: 'failed', code: 'forbidden_address' });
  });
});
