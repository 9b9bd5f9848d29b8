import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type NameLookup, sharedLookup } from '@flotilla/runtime/shared-lookup.ts';
import { aBot } from '@flotilla/testing/a-bot.ts';
import { allowOnly } from '@flotilla/testing/allow-only.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Bot } from '../../fleet/bots/bot.ts';
import { type BackendConnections, backendConnections } from './backend-connections.ts';
import { responseExcerpt } from './response-excerpt.ts';
import { sendToBackend } from './send-to-backend.ts';

const UPDATE = { id: 7, raw: '{"update_id":7,\n"message":{"n":9007199254740993,"text":"п\\u0041"}}' };
const never = new AbortController().signal;
let connections: BackendConnections;
const stops: (() => unknown)[] = [];

beforeEach(() => {
  connections = backendConnections(allowOnly(['127.0.0.0/8']));
});
afterEach(async () => {
  await connections.close();
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

const send = (url: string, bot: Partial<Bot> = {}, deadlineMs?: number) => {
  const target = aBot({ proxy_enabled: true, backend_url: url, ...bot });
  return sendToBackend(connections.to(target), target, UPDATE, never, deadlineMs === undefined ? {} : { deadlineMs });
};
const backend = async (...handler: Parameters<typeof startBackend>): Promise<TestBackend> => {
  const started = await startBackend(...handler);
  stops.push(() => started.stop());
  return started;
};
/** A server whose handler writes raw bytes, so that it can break HTTP. */
async function rawServer(handle: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => handle(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test('names for which nobody answers hold up no other backend, however many requests go to them', async () => {
  const { url } = await backend();
  const dead = Array.from({ length: 50 }, (_, at) => `dead-${at}.example`);
  const failed = new Set<string>();
  let unanswered = 0;
  const lookup: NameLookup = (hostname, _options, done) => {
    if (!dead.includes(hostname)) return done(null, [{ address: '127.0.0.1', family: 4 }]);
    if (failed.has(hostname)) unanswered += 1;
    else done(Object.assign(new Error('no answer'), { code: 'EAI_AGAIN' }), []);
    failed.add(hostname);
  };
  await connections.close();
  connections = backendConnections(allowOnly(['127.0.0.0/8'], sharedLookup(12, lookup, { freshMs: 0 })));
  await Promise.all(dead.map((name) => send(`http://${name}/`)));
  const waiting = Array.from({ length: 200 }, (_, at) => send(`http://${dead[at % dead.length]}/`));
  await waitFor(() => unanswered > 0);
  const deliveries = Array.from({ length: 20 }, (_, at) => send(url.replace('127.0.0.1', `well-${at}.example`)));
  expect(new Set((await Promise.all(deliveries)).map(({ outcome }) => outcome))).toEqual(new Set(['delivered']));
  expect(unanswered).toBeLessThanOrEqual(4);
  stops.push(() => Promise.all(waiting));
});

describe('sending an update to its backend', () => {
  test('carries the bytes and the headers of the platform; without a secret there is no secret header', async () => {
    const { url, requests } = await backend();
    expect(await send(`${url}/hook?a=b`, { secret_token: 's' })).toMatchObject({ outcome: 'delivered', status: 200 });
    await send(url.replace('//', '//user:p%40ss@'));
    const [first, second] = requests;
    expect(first?.text).toBe(UPDATE.raw);
    expect(first?.url).toBe('/hook?a=b');
    expect(first?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(UPDATE.raw)),
      'x-telegram-bot-api-secret-token': 's',
      'flotilla-delivery-id': '1-7',
    });
    expect(second?.headers).not.toHaveProperty('x-telegram-bot-api-secret-token');
    expect(second?.headers.authorization).toBe(`Basic ${Buffer.from('user:p@ss').toString('base64')}`);
  });

  test('every 2xx is a success; a redirect is a failure and is not followed', async () => {
    const elsewhere = await backend();
    const { url } = await backend((request, response) => {
      if (request.url === '/204') response.writeHead(204).end();
      else response.writeHead(302, { location: elsewhere.url }).end();
    });
    expect(await send(`${url}/204`)).toMatchObject({ outcome: 'delivered', status: 204 });
    expect(await send(url)).toEqual({
      outcome: 'refused',
      status: 302,
      reason: 'Wrong response from the webhook: 302 Found',
      contentType: '',
      start: { text: '', isCut: false },
      retryAfter: '',
    });
    expect(elsewhere.requests).toEqual([]);
  });

  test('an integer Retry-After is heard, a date is not', async () => {
    const { url } = await backend((request, response) => {
      response.writeHead(503, { 'retry-after': request.url === '/7' ? '7' : new Date().toUTCString() }).end();
    });
    expect(await send(`${url}/7`)).toMatchObject({ status: 503, retryAfterS: 7 });
    expect(await send(`${url}/date`)).not.toHaveProperty('retryAfterS');
  });

  test('a backend that accepts and never answers is cut at the deadline', async () => {
    const url = await rawServer(() => {});
    expect(await send(url, {}, 200)).toEqual({ outcome: 'failed', code: 'timed_out', reason: 'Read timeout expired' });
  });

  test('a backend that sends one byte at a time is cut at the deadline, whatever it still sends', async () => {
    let closed = false;
    const url = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
      const timer = setInterval(() => socket.write('x'), 20);
      socket.once('close', () => {
        clearInterval(timer);
        closed = true;
      });
    });
    expect(await send(url, {}, 300)).toEqual({ outcome: 'failed', code: 'timed_out', reason: 'Read timeout expired' });
    await waitFor(() => closed);
  });

  test('a reply without end is read to 128 KiB and no further, and the delivery counts', async () => {
    let sent = 0;
    const url = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n');
      const chunk = Buffer.alloc(64 * 1024, 'x');
      const more = (): void => {
        if (socket.destroyed) return;
        sent += chunk.length;
        socket.write(chunk, () => more());
      };
      more();
    });
    expect(await send(url)).toMatchObject({ outcome: 'delivered', reply: Buffer.alloc(0), isCut: true });
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  test('a reply that comes in thousands of pieces is read no further, and the delivery counts', async () => {
    let rest = Number.NaN;
    const url = await rawServer((socket) => {
      const pieces = '1\r\nx\r\n'.repeat(100_000);
      socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${pieces}`);
      socket.once('close', () => {
        rest = socket.writableLength;
      });
    });
    const answer = await send(url);
    expect(answer).toMatchObject({ outcome: 'delivered', status: 200, start: { isCut: true } });
    await waitFor(() => !Number.isNaN(rest), { message: 'the connection to be closed' });
  });

  test('a compressed bomb is not unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    const { url } = await backend((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' }).end(bomb);
    });
    const answer = await send(url);
    expect(answer.outcome).toBe('delivered');
    expect(answer.outcome === 'delivered' && answer.reply.length).toBeLessThanOrEqual(128 * 1024);
  });

  test('a reset, a port nobody listens on and no HTTP at all are failures with a reason', async () => {
    const reset = await rawServer((socket) => socket.resetAndDestroy());
    const garbage = await rawServer((socket) => socket.end('what is this?'));
    for (const url of [reset, garbage, 'http://127.0.0.1:1/']) {
      expect(await send(url)).toEqual({ outcome: 'failed', code: 'unreachable', reason: expect.stringMatching(/\w/) });
    }
    expect(await send('http://127.0.0.1:1/')).toMatchObject({
      reason: 'No answer from the backend: it refuses connections (ECONNREFUSED)',
    });
  });

  test.each([
    'http://127.1:1/',
    'http://0x7f000001:1/',
    'http://[::ffff:169.254.169.254]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://100.64.1.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://metadata.google.internal/',
    'http://localhost:1/',
  ])('no packet leaves for %s when no range is allowed', async (url) => {
    const closed = backendConnections(allowOnly([]));
    const bot = aBot({ proxy_enabled: true, backend_url: url });
    const answer = await sendToBackend(closed.to(bot), bot, UPDATE, never, { deadlineMs: 2000 });
    await closed.close();
    expect(answer).toMatchObject({
      outcome: 'failed',
      reason: expect.stringMatching(/address|name|allowed|reserved/i),
    });
  });
});

describe('the excerpt of an answer', () => {
  const secretBot = aBot({
    token: '123456789:AAF-secret_secret_secret_secret_sec',
    secret_token: 'sh!',
    backend_url: 'https://anna:p%40ss-w0rd@shop.example/hook?key=k3y-of-shop&v=1',
  });
  const excerptOf = (text: string, contentType = 'text/html', isCut = false) =>
    responseExcerpt(secretBot, { contentType, start: { text, isCut } });

  test.each([
    ['the token', `no bot ${secretBot.token}!`, /secret_secret/],
    ['the token with an escaped colon', secretBot.token.replace(':', '%3A'), /secret_secret/],
    ['the token with a colon as HTML has it', secretBot.token.replace(':', '&#58;'), /secret_secret/],
    ['the token of another bot', 'bot987654321:AAabcdefghijklmnopqrstuvwxyz012345678', /AAabc/],
    ['the secret token, even a short one', '{"got":"sh!"}', /sh!/],
    ['the password of the URL', 'user anna, password p@ss-w0rd or p%40ss-w0rd', /anna|w0rd/],
    ['the header made of it', `Authorization: Basic ${Buffer.from('anna:p@ss-w0rd').toString('base64')}`, /YW5uYT/],
    ['a value of the query', 'GET /hook?key=k3y-of-shop', /k3y/],
    ['an API key', 'flt_abcdefghijklmnopqrstuvwxyz', /abcdef/],
  ])('does not show %s', (_what, text, secret) => {
    expect(excerptOf(text)?.text ?? '').not.toMatch(secret);
    expect(excerptOf('x', text)?.type).not.toMatch(secret);
  });

  test('does not show the half of a secret at its end', () => {
    for (const secret of [secretBot.token, 'sh!', 'AAabcdefghijklmnopqrstuvwxyz0123456789']) {
      for (let length = 1; length < secret.length; length += 1) {
        const shown = excerptOf(`the answer is ${secret.slice(0, length)}`, '', true)!.text;
        expect('the answer is '.startsWith(shown)).toBe(true);
      }
    }
    expect(excerptOf('word '.repeat(400), '', true)?.text).toHaveLength(1024);
  });

  test('is short, can be stored, and keeps the words around a secret', () => {
    expect(excerptOf(`upstream ${secretBot.token} failed`)?.text).toMatch(/^upstream .*redacted.* failed$/);
    expect(excerptOf('é '.repeat(9000))?.text).toHaveLength(1024);
    expect(excerptOf(`a\0b${'x'.repeat(1021)}😀`)?.text.isWellFormed()).toBe(true);
    expect(excerptOf('a\0b')?.text).toBe('ab');
    expect(excerptOf('')).toBeNull();
  });

  test('is of the beginning where the answer is too long, and of nothing where it is compressed', async () => {
    const { url } = await backend((request, response) => {
      response.writeHead(500, request.url === '/gzip' ? { 'content-encoding': 'gzip' } : {});
      response.end('<h1>Broken</h1>'.padEnd(300_000));
    });
    expect(await send(url)).toMatchObject({ status: 500, start: { text: expect.stringMatching(/^<h1>Broken/) } });
    expect(await send(`${url}/gzip`)).toMatchObject({ status: 500, start: { text: '' } });
    const endless = await rawServer((socket) => socket.write('HTTP/1.1 502 Bad\r\nContent-Length: 900000\r\n\r\n'));
    expect(await send(endless)).toMatchObject({ outcome: 'refused', status: 502, start: { text: '' } });
  });
});
