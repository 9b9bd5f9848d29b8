import { type RawServer, rawConnection, startRawServer } from '@flotilla/testing/raw-http.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

const api = testApi();
let platform: RawServer;
/** The requests that reached the platform. */
let seen: string[] = [];
let port: number;
let token: string;

beforeAll(async () => {
  platform = await startRawServer((connection) => {
    const request = connection.received();
    const [head = ''] = request.split('\r\n\r\n', 1);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (request.length < head.length + 4 + length) return;
    seen.push(request);
    connection.clear();
    connection.send('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
  });
  api.endBefore(() => platform.stop());
  token = (await api.addBot({ long_poll_enabled: true })).token;
  port = (await api.startPod({ TELEGRAM_API_URL: platform.url })).port;
}, 60_000);
beforeEach(() => {
  seen = [];
});

const JSON_TYPE = 'Content-Type: application/json';
const FORM_TYPE = 'Content-Type: application/x-www-form-urlencoded';
const PARTS = 'Content-Type: multipart/form-data; boundary=B';
const part = (disposition: string, value: string) => `--B\r\nContent-Disposition: ${disposition}\r\n\r\n${value}\r\n`;

/** Spellings of a parameter `method` that the platform reads; M is its value. */
const SPELLINGS: [name: string, headers: string, body: string, query?: string][] = [
  ['an escape that JSON does not know', JSON_TYPE, '{"\\method":"M"}'],
  ['an escaped letter', JSON_TYPE, '{"\\u006dethod":"M"}'],
  ['a value with an unknown escape', JSON_TYPE, '{"method":"\\M"}'],
  ['JSON with something behind it', JSON_TYPE, '{"method":"M"} x'],
  ['JSON that is cut off', JSON_TYPE, '{"method":"M","limit":1'],
  ['a percent sign in a name', FORM_TYPE, '%6Dethod=M'],
  [
    'a part that is a form',
    PARTS,
    `${part('form-data; name="x"\r\nContent-Type: application/x-www-form-urlencoded', 'method=M')}--B--`,
  ],
  ['text before the first boundary', PARTS, `text${part('form-data; name="method"', 'M')}--B--`],
  ['two boundaries', `${PARTS}; boundary=C`, `${part('form-data; name="method"', 'M')}--B--`],
  ['two content types', `${FORM_TYPE}\r\n${JSON_TYPE}`, '{"method":"M"}'],
  ['the other order', `${JSON_TYPE}\r\n${FORM_TYPE}`, 'method=M'],
  ['filename*', PARTS, `${part('form-data; name="method"; filename*=utf-8\'\'x', 'M')}--B--`],
  ['a name with an escape', PARTS, `${part('form-data; name="\\method"', 'M')}--B--`],
  ['a name with a percent sign', PARTS, `${part('form-data; name=%6dethod', 'M')}--B--`],
  ['the second of two names', PARTS, `${part('form-data; name="x"; name="method"', 'M')}--B--`],
  ['two methods', JSON_TYPE, '{"method":"M","method":"getMe"}'],
  [
    'two methods in parts',
    PARTS,
    `${part('form-data; name="method"', 'M')}${part('form-data; name="method"', 'getMe')}--B--`,
  ],
  ['the query before the body', JSON_TYPE, '{"method":"getMe"}', 'method=M'],
  ['an encoding that is none', `${JSON_TYPE}\r\nContent-Encoding: none`, '{"method":"M"}'],
];

async function send(path: string, headers: string, body: string) {
  const client = await rawConnection(port);
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  client.send(`POST ${path} HTTP/1.1\r\nHost: h\r\n${headers}\r\n${length}\r\n\r\n${body}`);
  await client.waitFor(/^HTTP[\s\S]*\r\n\r\n/);
  const [head = ''] = client.received().split('\r\n\r\n');
  const answerLength = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  await waitFor(() => client.closed() || client.received().length >= head.length + 4 + answerLength);
  client.end();
  return { status: Number(head.split(' ')[1]), answer: client.received().slice(head.length + 4) };
}

describe.each(SPELLINGS)('a call whose path names no method, with %s', (...[, headers, body, query]) => {
  const as = (method: string, text: string) => text.replace('M', method);
  const ask = (method: string) =>
    send(`/bot${token}/${query === undefined ? '' : `?${as(method, query)}`}`, headers, as(method, body));

  test.each(['getUpdates', 'logOut', 'close', 'getWebhookInfo'])('is answered here if it is %s', async (method) => {
    const { status, answer } = await ask(method);
    expect([status, JSON.parse(answer).ok, seen]).toEqual([200, true, []]);
  });

  test('goes on with its method in the path and the same body if it is another', async () => {
    await ask('sendMessage');
    const [line = ''] = (seen[0] ?? '').split('\r\n');
    const path = `/bot${token}/sendmessage${query === undefined ? '' : `?${as('sendMessage', query)}`}`;
    expect(line).toBe(`POST ${path} HTTP/1.1`);
    expect(seen[0]?.endsWith(`\r\n\r\n${as('sendMessage', body)}`)).toBe(true);
  });
});

describe('a call whose path names no method is never passed on without one', () => {
  test.each([
    ['no parameters', '', JSON_TYPE, '{}'],
    ['no body', '', JSON_TYPE, ''],
    ['a method that is empty in the query', '?method=', JSON_TYPE, '{"method":"getUpdates"}'],
    ['a body of another type', '', 'Content-Type: text/plain', 'method=getUpdates'],
    ['a method that is a file', '', PARTS, `${part('form-data; name="method"; filename="f"', 'getUpdates')}--B--`],
    ['a method that is no name', '', JSON_TYPE, '{"method":"send Message"}'],
    ['a letter that only looks like one of its own', '', JSON_TYPE, '{"method":"setWebhoo\\u212a"}'],
  ])('with %s it is 404', async (_name, query, headers, body) => {
    const { status, answer } = await send(`/bot${token}/${query}`, headers, body);
    expect([status, JSON.parse(answer).description, seen]).toEqual([404, 'Not Found: method not found', []]);
  });

  test.each([
    ['a form without an end', PARTS, part('form-data; name="method"', 'getUpdates')],
    ['a closing boundary alone', PARTS, '--B--\r\n'],
    ['no boundary', 'Content-Type: multipart/form-data', '{"method":"getUpdates"}'],
  ])('with %s it is 400', async (_name, headers, body) => {
    const { status, answer } = await send(`/bot${token}/`, headers, body);
    expect([status, JSON.parse(answer).error_code, seen]).toEqual([400, 400, []]);
  });

  test('the test environment stays in its path, and other spellings do not', async () => {
    await send(`/bot${token.replace(':', '%3A')}/test/?a=%41`, JSON_TYPE, '{"method":"sendMessage"}');
    expect(seen[0]).toMatch(`POST /bot${token}/test/sendmessage?a=%41 HTTP/1.1\r\n`);
  });

  test('a path that ends with the token is read alike', async () => {
    await send(`/bot${token}?method=sendMessage`, JSON_TYPE, '{}');
    expect(seen[0]).toMatch(`POST /bot${token}/sendmessage?method=sendMessage HTTP/1.1\r\n`);
  });
});
