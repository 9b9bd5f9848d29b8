import { createHash } from 'node:crypto';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { createContext } from '@flotilla/testing/create-context.ts';
import {
  type RawConnection,
  type RawServer,
  rawConnection,
  rawExchange,
  startRawServer,
} from '@flotilla/testing/raw-http.ts';
import { startTestApi, TEST_ENCRYPTION_KEY, type TestApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readConfig } from '../config.ts';
import { botApiProxy } from './bot-api-proxy.ts';

const STRANGER = '4242:AAstrangerstrangerstrangerstrangerx';
const OK = '{"ok":true,"result":{"id":9007199254740993,"b":1.0,"a":"\\u0041"}}';
/** Headers that we add to every response. */
const SANDBOX = ["Content-Security-Policy: sandbox; default-src 'none'", 'X-Content-Type-Options: nosniff'];
const PLAIN_ANSWER = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${OK.length}\r\n\r\n${OK}`;

let upstream: RawServer;
let api: TestApi;
/** Every complete request that the platform received, unchanged. */
const requests: string[] = [];
/** Called with each complete request, and with each chunk of a request. */
let onRequest: (connection: RawConnection) => void;
let onPart: (connection: RawConnection) => void;

const answerPlainly = (connection: RawConnection) => connection.send(PLAIN_ANSWER);

beforeAll(async () => {
  upstream = await startRawServer((connection) => {
    onPart(connection);
    if (!isComplete(connection.received())) return;
    requests.push(connection.received());
    connection.clear();
    onRequest(connection);
  });
  api = await startTestApi({ TELEGRAM_API_URL: upstream.url });
});
afterAll(async () => {
  await api.stop();
  await upstream.stop();
});
beforeEach(() => {
  onRequest = answerPlainly;
  onPart = () => undefined;
  requests.length = 0;
});

/** Sends the same request directly and through the proxy; returns what the platform received and answered each time. */
async function sideBySide(request: (path: string) => string, path = `/bot${STRANGER}/getMe`) {
  const run = async (port: number, requestText: string) => {
    requests.length = 0;
    const answer = await exchangeOnce(port, requestText);
    return { answer, seen: [...requests] };
  };
  const direct = await run(upstream.port, request(path));
  const proxied = await run(api.port, request(`/tgapi${path}`));
  return { direct, proxied };
}

async function exchangeOnce(port: number, request: string): Promise<string> {
  const connection = await rawConnection(port);
  connection.send(request);
  await waitFor(() => isComplete(connection.received()) || connection.closed());
  connection.end();
  return connection.received();
}

/** True if a message has its headers and as much body as they announce. */
function isComplete(message: string): boolean {
  const end = message.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const length = /^content-length: *(\d+)/im.exec(message.slice(0, end))?.[1];
  if (length !== undefined) return message.length >= end + 4 + Number(length);
  return !/^transfer-encoding:/im.test(message.slice(0, end)) || message.endsWith('0\r\n\r\n');
}

const headersOf = (message: string): string[] => message.slice(0, message.indexOf('\r\n\r\n')).split('\r\n').slice(1);
const bodyOf = (message: string): string => message.slice(message.indexOf('\r\n\r\n') + 4);
const withoutHop = (headers: string[]): string[] =>
  headers.filter((header) => !/^(host|connection|keep-alive|transfer-encoding):/i.test(header));
const lastRequest = (): string => requests.at(-1) ?? '';
const lastRequestLine = (): string => lastRequest().split('\r\n')[0] ?? '';
/** The parts of incomplete requests that the platform has received. */
const partial = (): string => upstream.connections.map((connection) => connection.received()).join('');

describe('a request', () => {
  test('reaches the platform with its path, query string, header names, order and body bytes', async () => {
    const body = '{"chat_id":9007199254740993,"text":"\xd0\x9f\\u0041" ,"a":1,"a":2}';
    const request = (path: string) =>
      `POST ${path}?b=%D0%9F&a=+x;y&empty= HTTP/1.1\r\nHost: h\r\nX-First: 1\r\naccept-encoding: gzip, deflate\r\n` +
      `Content-Type: application/json\r\nX-first: 2\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const { direct, proxied } = await sideBySide(request, `/bot${STRANGER}/SendMessage`);
    const [straight, through] = [direct.seen[0] ?? '', proxied.seen[0] ?? ''];
    expect(through.split('\r\n')[0]).toBe(straight.split('\r\n')[0]);
    expect(withoutHop(headersOf(through)).map(lowerCaseLength)).toEqual(
      withoutHop(headersOf(straight)).map(lowerCaseLength),
    );
    expect(bodyOf(through)).toBe(body);
    expect(proxied.seen).toHaveLength(1);
  });

  test.each(['getMe', 'test/getMe', 'getMe/', 'unknownMethod'])(
    'to /%s keeps its path at root and prefix',
    async (rest) => {
      const path = `/bot4242%3AAAstrangerstrangerstrangerstrangerx/${rest}`;
      for (const prefix of ['', '/tgapi']) {
        await exchangeOnce(api.port, `GET ${prefix}${path} HTTP/1.1\r\nHost: h\r\n\r\n`);
        expect(lastRequestLine()).toBe(`GET ${path} HTTP/1.1`);
      }
    },
  );

  test('that is chunked stays chunked, and one with a length keeps it', async () => {
    const head = `POST /tgapi/bot${STRANGER}/sendPhoto HTTP/1.1\r\nHost: h\r\nContent-Type: multipart/form-data; boundary=b\r\n`;
    await exchangeOnce(api.port, `${head}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`);
    expect(lastRequest()).toMatch(/\r\ntransfer-encoding: chunked\r\n/i);
    expect(lastRequest()).not.toMatch(/\r\ncontent-length:/i);
    await exchangeOnce(api.port, `${head}Content-Length: 5\r\n\r\nabcde`);
    expect(lastRequest()).toMatch(/\r\ncontent-length: 5\r\n/i);
    expect(lastRequest()).toMatch(/\r\nContent-Type: multipart\/form-data; boundary=b\r\n/);
  });

  test('streams: the platform has its beginning before its end was sent', async () => {
    const client = await rawConnection(api.port);
    client.send(`POST /bot${STRANGER}/sendDocument HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nfirst`);
    await waitFor(() => partial().endsWith('first'));
    client.send('after');
    expect(bodyOf(await client.waitFor(/\}\}$/))).toBe(OK);
    client.end();
  });

  test('with an empty multipart body, a zero length or a literal null is passed on', async () => {
    const head = `POST /bot${STRANGER}/getMe HTTP/1.1\r\nHost: h\r\n`;
    const multipart = 'Content-Type: multipart/form-data; boundary=b\r\n';
    for (const rest of [
      `${multipart}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `${multipart}Content-Length: 7\r\n\r\n--b--\r\n`,
      'Content-Length: 0\r\n\r\n',
      'Content-Type: application/json\r\nContent-Length: 4\r\n\r\nnull',
    ]) {
      expect(bodyOf(await exchangeOnce(api.port, head + rest))).toBe(OK);
    }
  });

  test('with a 25 KB query string is passed on', async () => {
    const query = `text=${'%D0%9F'.repeat(4096)}`;
    expect(
      bodyOf(
        await exchangeOnce(api.port, `GET /tgapi/bot${STRANGER}/sendMessage?${query} HTTP/1.1\r\nHost: h\r\n\r\n`),
      ),
    ).toBe(OK);
    expect(lastRequestLine()).toBe(`GET /bot${STRANGER}/sendMessage?${query} HTTP/1.1`);
  });

  test('loses its hop-by-hop headers', async () => {
    const hop =
      'Connection: keep-alive, X-Mine\r\nX-Mine: 1\r\nTE: trailers\r\nUpgrade: h2c\r\nProxy-Authorization: x\r\n';
    await exchangeOnce(api.port, `GET /bot${STRANGER}/getMe HTTP/1.1\r\nHost: h\r\n${hop}X-Yours: 2\r\n\r\n`);
    expect(withoutHop(headersOf(lastRequest()))).toEqual(['X-Yours: 2']);
  });

  test('loses our session cookie and our API key, and keeps what other servers know', async () => {
    const ours = 'Cookie: a=1; session=s%3Aid.signature; b=2\r\nAuthorization: Bearer flt_0123456789\r\n';
    await exchangeOnce(api.port, `GET /bot${STRANGER}/getMe HTTP/1.1\r\nHost: h\r\n${ours}\r\n`);
    expect(withoutHop(headersOf(lastRequest()))).toEqual(['Cookie: a=1; b=2']);
    const others = ['Cookie: sessions=1', 'Authorization: Bearer of-somebody-else'];
    await exchangeOnce(
      api.port,
      `GET /file/bot${STRANGER}/f HTTP/1.1\r\nHost: h\r\n${others.join('\r\n')}\r\nCookie: session=x\r\n\r\n`,
    );
    expect(withoutHop(headersOf(lastRequest()))).toEqual(others);
  });

  test('that expects 100-continue gets it, then its answer', async () => {
    const client = await rawConnection(api.port);
    client.send(
      `POST /bot${STRANGER}/sendDocument HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n`,
    );
    await client.waitFor(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    client.send('body');
    expect(await client.waitFor(/HTTP\/1\.1 200 OK/)).toContain('HTTP/1.1 200 OK');
    client.end();
  });

  test.each([
    ['with both a length and chunks', 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400],
    ['with two lengths', 'Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcd', 400],
    ['with a transfer coding beside chunked', 'Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n', 501],
  ])('%s is refused and does not reach the platform', async (_what, rest, status) => {
    const answer = await rawExchange(api.port, `POST /bot${STRANGER}/getMe HTTP/1.1\r\nHost: h\r\n${rest}`);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(requests).toEqual([]);
    expect(partial()).toBe('');
  });
});

describe('an answer', () => {
  const answerWith = (answer: string | Buffer) => {
    onRequest = (connection) => connection.send(answer);
  };

  test('comes back with its status, reason, header names, order and repetitions, and but two more', async () => {
    const tooMany =
      '{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 7","parameters":{"retry_after":7}}';
    answerWith(
      `HTTP/1.1 429 Slow Down\r\nServer: nginx\r\nRetry-After: 7\r\nX-A: \xfc\r\nx-a: 2\r\nKeep-Alive: timeout=5\r\nContent-Length: ${tooMany.length}\r\n\r\n${tooMany}`,
    );
    const { direct, proxied } = await sideBySide((path) => `GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`);
    expect(proxied.answer.split('\r\n')[0]).toBe('HTTP/1.1 429 Slow Down');
    expect(withoutHop(headersOf(proxied.answer))).toEqual([...withoutHop(headersOf(direct.answer)), ...SANDBOX]);
    expect(bodyOf(proxied.answer)).toBe(tooMany);
  });

  test('that is compressed keeps its bytes and its Content-Encoding', async () => {
    const body = gzipSync(OK);
    answerWith(
      Buffer.concat([
        Buffer.from(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`),
        body,
      ]),
    );
    const answer = await exchangeOnce(api.port, `GET /bot${STRANGER}/getMe HTTP/1.1\r\nHost: h\r\n\r\n`);
    expect(answer).toContain('\r\nContent-Encoding: gzip\r\n');
    expect(Buffer.from(bodyOf(answer), 'latin1').equals(body)).toBe(true);
  });

  test('streams: the client has its beginning before the platform has sent its end', async () => {
    let platform: RawConnection | null = null;
    onRequest = (connection) => {
      platform = connection;
      connection.send('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n');
    };
    const client = await rawConnection(api.port);
    client.send(`GET /bot${STRANGER}/getMe HTTP/1.1\r\nHost: h\r\n\r\n`);
    await client.waitFor(/first\r\n$/);
    (platform as RawConnection | null)?.send('4\r\nlast\r\n0\r\n\r\n');
    await client.waitFor(/4\r\nlast\r\n0\r\n\r\n$/);
    client.end();
  });

  test('to HEAD and one without a body end where they should', async () => {
    answerWith('HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n');
    const client = await rawConnection(api.port);
    client.send(`HEAD /bot${STRANGER}/getMe HTTP/1.1\r\nHost: h\r\n\r\n`);
    await client.waitFor(/Content-Length: 1234\r\n[\s\S]*\r\n\r\n$/);
    answerWith('HTTP/1.1 204 No Content\r\n\r\n');
    client.send(`GET /bot${STRANGER}/getMe HTTP/1.1\r\nHost: h\r\n\r\n`);
    await client.waitFor(/HTTP\/1\.1 204 No Content\r\n[\s\S]*\r\n\r\n$/);
    client.end();
  });

  test('that breaks off in the middle breaks off at the client, too', async () => {
    onRequest = (connection) => {
      connection.send('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nhalf');
      setTimeout(() => connection.socket.destroy(), 50);
    };
    const answer = await rawExchange(api.port, `GET /bot${STRANGER}/getMe HTTP/1.1\r\nHost: h\r\n\r\n`);
    expect(bodyOf(answer)).toBe('half');
  });
});

describe('when the platform fails', () => {
  const envelope = (answer: string) => ({ status: Number(answer.split(' ')[1]), body: JSON.parse(bodyOf(answer)) });

  test('a reset after the request was sent is a 502, and nothing is sent again', async () => {
    onRequest = (connection) => connection.socket.resetAndDestroy();
    for (let call = 1; call <= 3; call++) {
      const answer = await exchangeOnce(
        api.port,
        `POST /bot${STRANGER}/sendMessage HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}`,
      );
      expect(envelope(answer)).toMatchObject({ status: 502, body: { ok: false, error_code: 502 } });
      expect(answer).toContain('Content-Type: application/json');
      expect(answer).not.toContain(STRANGER);
    }
    expect(requests).toHaveLength(3);
  });

  test('a reset in the middle of an upload is a 502 that the client can read', async () => {
    onPart = (connection) => connection.socket.resetAndDestroy();
    const client = await rawConnection(api.port);
    client.send(`POST /bot${STRANGER}/sendDocument HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n`);
    client.send(Buffer.alloc(100_000, 'x'));
    await client.waitFor(/"error_code":502/);
    client.send(Buffer.alloc(100_000, 'x'));
    onPart = () => undefined;
    client.send(`GET /bot${STRANGER}/getMe HTTP/1.1\r\nHost: h\r\n\r\n`);
    await client.waitFor(/9007199254740993/);
    client.end();
  });

  test('garbage is a 502', async () => {
    onRequest = (connection) => connection.send('nonsense\r\n\r\n');
    const answer = await exchangeOnce(api.port, `GET /bot${STRANGER}/getMe HTTP/1.1\r\nHost: h\r\n\r\n`);
    expect(envelope(answer)).toMatchObject({ status: 502, body: { ok: false, error_code: 502 } });
  });
});

describe('every answer of our own is no page either', () => {
  const call = (rest: string, body = '') => `${rest}\r\nHost: h\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  test.each<[string, number, string]>([
    ['a path with dot segments', 404, call(`GET /bot${STRANGER}/../x HTTP/1.1`)],
    ['logOut', 200, call(`POST /bot${STRANGER}/logOut HTTP/1.1`)],
    ['a verb that is no call', 501, call(`PUT /bot${STRANGER}/close HTTP/1.1`)],
    ['setWebhook of a stranger', 401, call(`POST /tgapi/bot${STRANGER}/setWebhook HTTP/1.1`)],
    ['a platform that breaks off', 502, call(`GET /bot${STRANGER}/getMe HTTP/1.1`)],
    ['a file of a platform that breaks off', 502, call(`GET /file/bot${STRANGER}/f HTTP/1.1`)],
    [
      'two kinds of framing',
      501,
      `POST /bot${STRANGER}/getMe HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    ],
  ])('%s', async (_what, status, request) => {
    onRequest = (connection) => connection.socket.resetAndDestroy();
    const answer = await exchangeOnce(api.port, request);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    for (const header of SANDBOX) expect(headersOf(answer)).toContain(header);
  });
});

describe('where the platform is', () => {
  const getMe = `GET /tgapi/bot${STRANGER}/getMe?a=b HTTP/1.1\r\nHost: h\r\n\r\n`;

  test('a path of its own stands before every call and file', async () => {
    const pod = await api.startPod({ TELEGRAM_API_URL: `${upstream.url}/base/path/` });
    await exchangeOnce(pod.port, getMe);
    expect(lastRequestLine()).toBe(`GET /base/path/bot${STRANGER}/getMe?a=b HTTP/1.1`);
    await exchangeOnce(pod.port, `GET /file/bot${STRANGER}/f HTTP/1.1\r\nHost: h\r\n\r\n`);
    expect(lastRequestLine()).toBe(`GET /base/path/file/bot${STRANGER}/f HTTP/1.1`);
  });

  test('nobody listens: 502, and for getUpdates not at once', async () => {
    const pod = await api.startPod({ TELEGRAM_API_URL: 'http://127.0.0.1:1' });
    expect(await exchangeOnce(pod.port, getMe)).toMatch(/^HTTP\/1.1 502 [\s\S]*"error_code":502/);
    const begunAtMs = performance.now();
    expect(await exchangeOnce(pod.port, getMe.replace('getMe', 'getUpdates'))).toMatch(/^HTTP\/1.1 502 /);
    expect(performance.now() - begunAtMs).toBeGreaterThan(900);
  });

  test('an early answer wins over the reset that follows it', async () => {
    const client = await rawConnection(api.port);
    const body = '{"ok":false,"error_code":413,"description":"Request Entity Too Large"}';
    onPart = (connection) => {
      onPart = () => undefined;
      // First, so that we write to the connection after its reset and before we have read the answer.
      client.send('x'.repeat(50_000));
      connection.send(`HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      connection.socket.resetAndDestroy();
    };
    client.send(`POST /bot${STRANGER}/sendDocument HTTP/1.1\r\nHost: h\r\nContent-Length: 900000\r\n\r\nx`);
    expect(await client.waitFor(/"error_code":\d+/)).toMatch(/^HTTP\/1.1 413 [\s\S]*"error_code":413/);
    client.end();
  });

  test('it accepts and never answers: 504', async () => {
    onRequest = () => undefined;
    const env = { DATABASE_URL: api.database.url, REDIS_URL: api.redis.url, TELEGRAM_API_URL: upstream.url };
    const config = readConfig({ ...env, ENCRYPTION_KEY: TEST_ENCRYPTION_KEY });
    const context = await createContext(config, { log: createLogger({ name: 'test', level: 'silent' }) });
    const proxy = botApiProxy(context, { silenceMs: 300 });
    const server = createServer(proxy.handle);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const answer = await waitFor(async () => {
      const tried = await exchangeOnce(port, getMe);
      return !tried.startsWith('HTTP/1.1 503 ') && tried;
    });
    expect(answer).toMatch(/^HTTP\/1.1 504 [\s\S]*"error_code":504/);
    server.close();
    await proxy.stop();
    await context.close();
  });
});

describe('when the client goes away', () => {
  test.each([
    ['while it waits', 'GET', ''],
    ['in the middle of its upload', 'POST', 'Content-Length: 100000\r\n'],
  ])('%s, the call to the platform is ended', async (_when, method, header) => {
    let platform: RawConnection | null = null;
    onPart = (connection) => {
      platform = connection;
    };
    onRequest = () => undefined;
    const client = await rawConnection(api.port);
    client.send(`${method} /bot${STRANGER}/getMe HTTP/1.1\r\nHost: h\r\n${header}\r\n${header === '' ? '' : 'part'}`);
    const open = (await waitFor(() => platform)) as unknown as RawConnection;
    client.end();
    await open.waitForClose();
  });
});

describe('large bodies', () => {
  test('a 50 MB upload arrives with the same bytes', async () => {
    const chunk = Buffer.alloc(1024 * 1024).map((_, at) => (at * 7) & 0xff);
    const expected = createHash('sha256');
    for (let i = 0; i < 50; i++) expected.update(chunk);
    const seen = createHash('sha256');
    const server = createServer((req, res) => {
      req.on('data', (bytes: Buffer) => seen.update(bytes));
      req.on('end', () => res.end(OK));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const pod = await api.startPod({
      TELEGRAM_API_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    });
    const upload = httpRequest(`${pod.url}/tgapi/bot${STRANGER}/sendDocument`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    });
    const answered = new Promise<string>((resolve, reject) => {
      upload.on('error', reject);
      upload.on('response', (res) => {
        let text = '';
        res.setEncoding('utf8').on('data', (part) => (text += part));
        res.on('end', () => resolve(text));
      });
    });
    for (let i = 0; i < 50; i++) {
      if (!upload.write(chunk)) await new Promise((resolve) => upload.once('drain', resolve));
    }
    upload.end();
    expect(await answered).toBe(OK);
    expect(seen.digest('hex')).toBe(expected.digest('hex'));
    server.close();
    await pod.stop();
  });

  test('an upload waits for a platform that does not read', async () => {
    onPart = (connection) => connection.socket.pause();
    const client = await rawConnection(api.port);
    client.send(`POST /bot${STRANGER}/sendDocument HTTP/1.1\r\nHost: h\r\nContent-Length: 100000000\r\n\r\n`);
    expect(await bytesAccepted(client)).toBeLessThan(20_000_000);
    client.end();
  });

  test('a download waits for a client that does not read', async () => {
    let platform: RawConnection | null = null;
    onRequest = (connection) => {
      platform = connection;
      connection.send('HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n');
    };
    const client = await rawConnection(api.port);
    client.socket.pause();
    client.send(`GET /file/bot${STRANGER}/documents/f HTTP/1.1\r\nHost: h\r\n\r\n`);
    await waitFor(() => platform);
    expect(await bytesAccepted(platform as unknown as RawConnection)).toBeLessThan(20_000_000);
    client.end();
  });

  /** Writes until the server takes no more; kernel buffers take a few megabytes on each of the two hops. */
  async function bytesAccepted({ socket }: RawConnection): Promise<number> {
    const chunk = Buffer.alloc(256 * 1024);
    for (let written = 0; written < 80_000_000; written += chunk.length) {
      const flushed = new Promise<boolean>((resolve) => {
        const timer = setTimeout(resolve, 1000, false);
        socket.write(chunk, () => {
          clearTimeout(timer);
          resolve(true);
        });
      });
      if (!(await flushed)) return written;
    }
    return Number.POSITIVE_INFINITY;
  }
});

describe('a file download', () => {
  test.each([
    `/file/bot${STRANGER}/photos/f.jpg`,
    '/file/bot4242%3AAAstrangerstrangerstrangerstrangerx/photos%2Ff.jpg',
  ])('%s keeps its path, ranges and type', async (path) => {
    onRequest = (connection) => {
      connection.send(
        'HTTP/1.1 206 Partial Content\r\nContent-Type: image/jpeg\r\nContent-Range: bytes 0-3/10\r\nContent-Length: 4\r\n\r\n\xff\xd8\xff\x00',
      );
    };
    const { direct, proxied } = await sideBySide(
      (at) => `GET ${at} HTTP/1.1\r\nHost: h\r\nRange: bytes=0-3\r\n\r\n`,
      path,
    );
    expect(withoutHop(headersOf(proxied.answer))).toEqual([...withoutHop(headersOf(direct.answer)), ...SANDBOX]);
    expect(bodyOf(proxied.answer)).toBe('\xff\xd8\xff\x00');
    expect(lastRequestLine()).toBe(`GET ${path} HTTP/1.1`);
    expect(lastRequest()).toContain('Range: bytes=0-3');
  });

  test('dot segments are refused, encoded or not', async () => {
    for (const path of ['../../etc/passwd', '..%2F..%2Fetc/passwd', '%2e%2e/x']) {
      const answer = await exchangeOnce(api.port, `GET /tgapi/file/bot${STRANGER}/${path} HTTP/1.1\r\nHost: h\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1.1 404 /);
      expect(JSON.parse(bodyOf(answer))).toEqual({ ok: false, error_code: 404, description: 'Not Found' });
    }
  });
});

const lowerCaseLength = (header: string): string => header.replace(/^content-length/i, 'content-length');
