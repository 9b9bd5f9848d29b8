import { gzipSync } from 'node:zlib';
import { type RawConnection, type RawServer, rawConnection, startRawServer } from '@flotilla/testing/raw-http.ts';
import { startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const PATH = '/bot4242:AAstrangerstrangerstrangerstrangerx/sendMessage';
const BODY = '{"chat_id":9007199254740993,"text":"\xd0\x9f"}';
const JSON_TYPE = 'Content-Type: application/json\r\n';

/** A client sends this after its request line. Hop-by-hop headers concern only the next hop. */
const REQUESTS: Record<string, string> = {
  'a GET': 'GET\r\n\r\n',
  'a HEAD': 'HEAD\r\n\r\n',
  'a POST with a length': `POST\r\n${JSON_TYPE}Content-Length: ${BODY.length}\r\n\r\n${BODY}`,
  'a POST in chunks': `POST\r\n${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n3\r\n${BODY.slice(0, 3)}\r\n${(BODY.length - 3).toString(16)}\r\n${BODY.slice(3)}\r\n0\r\n\r\n`,
  'a POST that expects 100-continue': `POST\r\nExpect: 100-continue\r\n${JSON_TYPE}Content-Length: ${BODY.length}\r\n\r\n${BODY}`,
  'a POST with cookies and a credential of somebody else': `POST\r\nCookie: sessions=1; a="b;c"\r\nAuthorization: Basic flt_\r\n${JSON_TYPE}Content-Length: ${BODY.length}\r\n\r\n${BODY}`,
  'a POST with hop-by-hop headers': `POST\r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\nTE: trailers\r\nKeep-Alive: 5\r\n${JSON_TYPE}Content-Length: ${BODY.length}\r\n\r\n${BODY}`,
};

const packed = gzipSync('{"ok":true,"result":1}').toString('latin1');
const TOO_MANY =
  '{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 7","parameters":{"retry_after":7}}';
/** The answer of the platform, byte for byte. */
const ANSWERS: Record<string, string> = {
  'a 200':
    'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-A: 1\r\nx-a: 2\r\nContent-Length: 22\r\n\r\n{"ok":true,"result":1}',
  'a 200 in chunks':
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"ok"\r\n11\r\n:true,"result":1}\r\n0\r\n\r\n',
  'a 200 with a trailer': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-Late: 1\r\n\r\n',
  'a 200 that ends with its connection': 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{"ok":true,"result":1}',
  'a compressed 200': `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n${packed}`,
  'early hints and a 200':
    'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}',
  'a 204': 'HTTP/1.1 204 No Content\r\nX-A: 1\r\n\r\n',
  'a redirect': 'HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/elsewhere\r\nContent-Length: 0\r\n\r\n',
  'a 304': 'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n',
  'a 429': `HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nKeep-Alive: timeout=5\r\nContent-Length: ${TOO_MANY.length}\r\n\r\n${TOO_MANY}`,
  'a 413 that comes early': 'HTTP/1.1 413 Request Entity Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
  'an answer with a page, cookies and a policy':
    'HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nContent-Type: text/html\r\nset-cookie: session=x; Path=/\r\ncontent-security-policy: default-src *\r\nX-Content-Type-Options: off\r\nX-B: 1\r\nContent-Length: 13\r\n\r\n<html></html>',
  'a 502 page': 'HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n<html></html>',
};

let platform: RawServer;
let api: TestApi;
let answer: string | 'reset';
const requests: string[] = [];

beforeAll(async () => {
  platform = await startRawServer((connection) => {
    const received = connection.received();
    if (!isWhole(received)) return;
    requests.push(received);
    connection.clear();
    if (answer === 'reset') return connection.socket.resetAndDestroy();
    const isHead = received.startsWith('HEAD ');
    const final = finalAnswer(answer);
    const headEnd = answer.length - final.length + final.indexOf('\r\n\r\n') + 4;
    connection.send(isHead ? answer.slice(0, headEnd) : answer);
    if (/^connection: close/im.test(answer)) connection.socket.end();
  });
  api = await startTestApi({ TELEGRAM_API_URL: platform.url });
}, 60_000);
afterAll(async () => {
  await api?.stop();
  await platform?.stop();
});

/** Runs one exchange; returns what the platform received and what the client got. */
async function exchange(port: number, prefix: string, request: string) {
  requests.length = 0;
  const [method = '', ...rest] = request.split('\r\n');
  const client = await rawConnection(port);
  client.send(`${method} ${prefix}${PATH}?a=%D0%9F HTTP/1.1\r\nHost: h\r\n${rest.join('\r\n')}`);
  await waitFor(() => client.closed() || isAnswered(client, method), { message: 'an answer' });
  client.end();
  return { seen: requests.map(message), got: message(finalAnswer(client.received())) };
}

function isAnswered(client: RawConnection, method: string): boolean {
  const final = finalAnswer(client.received());
  const head = final.slice(0, final.indexOf('\r\n\r\n'));
  if (!final.includes('\r\n\r\n')) return false;
  return method === 'HEAD' || / (204|304) /.test(head.split('\r\n')[0]!) || isWhole(final, true);
}

/** Drops interim responses, which an intermediary need not forward. */
function finalAnswer(received: string): string {
  return received.replace(/^(HTTP\/1\.1 1\d\d [\s\S]*?\r\n\r\n)+/, '');
}

function isWhole(text: string, isAnswer = false): boolean {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const head = text.slice(0, end);
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  if (length !== undefined) return text.length >= end + 4 + Number(length);
  if (/^transfer-encoding:/im.test(head)) return /\r\n0\r\n([\s\S]*\r\n)?\r\n$/.test(text);
  return !isAnswer;
}

/** A message as its reader sees it: start line, end-to-end headers, and the bytes of the body. */
function message(text: string) {
  const end = text.indexOf('\r\n\r\n');
  const [start = '', ...headers] = text.slice(0, end).split('\r\n');
  const isChunked = headers.some((header) => /^transfer-encoding: chunked/i.test(header));
  const body = text.slice(end + 4);
  return {
    start: start.replace('/tgapi', ''),
    headers: headers
      .filter((header) => !/^(host|connection|keep-alive|transfer-encoding|te|expect|x-hop):/i.test(header))
      .map((header) => header.replace(/^content-length/i, 'Content-Length')),
    body: isChunked ? unchunked(body) : body,
  };
}

function unchunked(body: string): string {
  const size = Number.parseInt(body, 16);
  if (!(size > 0)) return '';
  const at = body.indexOf('\r\n') + 2;
  return body.slice(at, at + size) + unchunked(body.slice(at + size + 2));
}

/** The only intended difference: the proxy drops the platform's cookies and sandboxes its responses in browsers. */
function sandboxed({ start, headers, body }: ReturnType<typeof message>) {
  const others = headers.filter(
    (header) => !/^(set-cookie|content-security-policy|x-content-type-options):/i.test(header),
  );
  const ours = ["Content-Security-Policy: sandbox; default-src 'none'", 'X-Content-Type-Options: nosniff'];
  return { start, headers: [...others, ...ours], body };
}

describe.each(Object.entries(REQUESTS))('%s through the proxy is what it is without it', (_what, request) => {
  test.each(Object.entries(ANSWERS))('answered with %s', async (_answered, given) => {
    answer = given;
    const direct = await exchange(platform.port, '', request);
    const proxied = await exchange(api.port, '/tgapi', request);
    expect(proxied.got).toEqual(sandboxed(direct.got));
    expect(proxied.seen).toEqual(direct.seen);
    expect(proxied.seen).toHaveLength(1);
  });

  test('reset after it was sent: it is not sent again, and the client is told', async () => {
    answer = 'reset';
    const proxied = await exchange(api.port, '/tgapi', request);
    expect(proxied.got.start).toBe('HTTP/1.1 502 Bad Gateway');
    expect(proxied.seen).toHaveLength(1);
  });
});
