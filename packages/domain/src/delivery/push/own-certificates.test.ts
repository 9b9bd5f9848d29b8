import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { aBot } from '@flotilla/testing/a-bot.ts';
import { allowOnly } from '@flotilla/testing/allow-only.ts';
import { startTlsAuthority } from '@flotilla/testing/tls-authority.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type BackendConnections, backendConnections } from './backend-connections.ts';
import { sendToBackend } from './send-to-backend.ts';

const never = new AbortController().signal;
/** Certificates of three authorities. The backend's certificate is from the first one. */
let authorities: string[];
let server: Server;
let sockets: Set<TLSSocket>;
let holding: (() => void)[];
let connections: BackendConnections;

beforeAll(async () => {
  const made = await Promise.all([startTlsAuthority(), startTlsAuthority(), startTlsAuthority()]);
  authorities = await Promise.all(made.map(({ caFile }) => readFile(caFile, 'utf8')));
  const { certFile, keyFile } = await made[0]!.issue('IP:127.0.0.1');
  sockets = new Set();
  server = createServer({ cert: await readFile(certFile), key: await readFile(keyFile) }, (request, response) => {
    request.resume();
    if (request.url === '/held') holding.push(() => response.end());
    else response.end();
  });
  server.on('secureConnection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket)).on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  holding = [];
  connections = backendConnections(allowOnly(['127.0.0.0/8']));
});
afterEach(async () => {
  await connections.close();
  await waitFor(() => sockets.size === 0);
});

const botWith = (id: number, certificate: string, path = '/') =>
  aBot({
    id,
    proxy_enabled: true,
    backend_url: `https://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    backend_certificate: certificate,
  });
const send = async (bot: ReturnType<typeof botWith>) =>
  (await sendToBackend(connections.to(bot), bot, { id: 1, raw: '{}' }, never)).outcome;

describe('a backend with a certificate of its own', () => {
  test('is trusted by the bot that has the certificate, and by no other', async () => {
    const [right, wrong] = authorities as [string, string];
    expect(await send(botWith(1, wrong + right))).toBe('delivered');
    expect(await send(botWith(2, wrong))).toBe('failed');
    expect(await send(botWith(3, ''))).toBe('failed');
  });

  test('that another one replaces is connected to no more, and trusted no more', async () => {
    const [right, wrong] = authorities as [string, string];
    expect(await send(botWith(1, right))).toBe('delivered');
    expect(sockets.size).toBe(1);
    const changed = botWith(1, wrong);
    connections.changed(1, changed);
    await waitFor(() => sockets.size === 0);
    expect(await send(changed)).toBe('failed');
  });

  test.each([
    ['is deleted', () => undefined],
    ['is sent nothing any more', () => ({ ...botWith(1, authorities[0]!), proxy_enabled: false })],
    ['has it no more', () => botWith(1, '')],
  ])('leaves nothing behind when its bot %s', async (_how, after) => {
    expect(await send(botWith(1, authorities[0]!))).toBe('delivered');
    expect(sockets.size).toBe(1);
    connections.changed(1, after());
    await waitFor(() => sockets.size === 0);
  });

  test('keeps its connection over changes that are not about it', async () => {
    const bot = botWith(1, authorities[0]!);
    await send(bot);
    const [socket] = sockets;
    connections.changed(1, { ...bot, name: 'Renamed' });
    await send({ ...bot, name: 'Renamed' });
    expect(sockets.has(socket!)).toBe(true);
  });

  test('that is replaced while an update is in flight still gets that update', async () => {
    const [right, wrong] = authorities as [string, string];
    const sending = send(botWith(1, right, '/held'));
    await waitFor(() => holding.length === 1);
    connections.changed(1, botWith(1, wrong));
    expect(sockets.size).toBe(1);
    holding[0]!();
    expect(await sending).toBe('delivered');
    await waitFor(() => sockets.size === 0);
  });

  test('is let go after a while without updates, and when there are too many, the one used longest ago first', async () => {
    await connections.close();
    const [right] = authorities as [string];
    connections = backendConnections(allowOnly(['127.0.0.0/8']), { atMost: 2, idleMs: 300 });
    for (const id of [1, 2, 1, 3]) expect(await send(botWith(id, right))).toBe('delivered');
    await waitFor(() => sockets.size <= 2);
    await waitFor(() => sockets.size === 0);
    expect(await send(botWith(2, right))).toBe('delivered');
  });
});
