import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestPlatform, type TestPlatform } from '../conformance/test-platform.ts';

let platform: TestPlatform;
let bot: { id: number; token: string };

beforeAll(async () => {
  platform = await startTestPlatform();
  bot = await platform.control.createBot({});
});
afterAll(() => platform.stop());

/** Sends these bytes and returns everything that the server sends until it closes the connection. */
function sendRaw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(platform.url).port), '127.0.0.1');
    let answer = '';
    socket.setTimeout(300, () => socket.end());
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
    socket.write(text);
  });
}

const get = async (path: string, init?: RequestInit) => {
  const response = await fetch(`${platform.url}${path}`, init);
  const text = await response.text();
  return { status: response.status, text, headers: response.headers };
};

test("an answer carries the platform's headers and no others", async () => {
  const { headers } = await get(`/bot${bot.token}/getMe`);
  expect([...headers.keys()].sort()).toEqual(['connection', 'content-length', 'content-type']);
  expect(headers.get('content-type')).toBe('application/json');
});

test.each(['HEAD', 'OPTIONS', 'DELETE'])('%s is answered 501 without a body', async (method) => {
  expect(await get(`/bot${bot.token}/getMe`, { method })).toMatchObject({ status: 501, text: '' });
});

test('the test form, an encoded token and a method among the parameters are understood', async () => {
  expect((await get(`/bot${bot.token}/test/getMe`)).status).toBe(200);
  expect((await get(`/bot${bot.token.replace(':', '%3A')}/getMe`)).status).toBe(200);
  expect((await get(`/bot${bot.token}/?method=getMe`)).status).toBe(200);
  expect((await get(`/bot${bot.token}/testMe`)).text).toContain('"Not Found"');
  expect((await get(`/bot${bot.token}/getMe/`)).text).toContain('method not found');
  expect((await get('/Bot1:x/getMe')).text).toContain('"Not Found"');
});

test.each([
  ['0123:x', 401, 'Unauthorized: invalid token specified'],
  [`1:${'x'.repeat(80)}`, 401, 'Unauthorized: invalid token specified'],
  ['abc:x', 421, 'Misdirected Request: unallowed token specified'],
  ['12345:AAAAAAAAAAAAAAAAAAAAAAAAAAAA', 401, 'Unauthorized'],
])('the token %s is refused with %d', async (token, status, description) => {
  const answer = await get(`/bot${token}/noSuchMethod`);
  expect([answer.status, JSON.parse(answer.text)]).toEqual([status, { ok: false, error_code: status, description }]);
});

test('an absolute URI is not found', async () => {
  const answer = await sendRaw(`GET http://h/bot${bot.token}/getMe HTTP/1.1\r\nHost: h\r\n\r\n`);
  expect(answer).toContain('Not Found: absolute URI is specified in the Request-Line');
});

test('compressed requests are read, unknown compressions refused', async () => {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const body = gzipSync(JSON.stringify({ limit: 1, chat_id: 'nobody' }));
  const sent = await get(`/bot${bot.token}/sendMessage`, { method: 'POST', headers, body });
  expect(JSON.parse(sent.text).description).toBe('Bad Request: chat not found');
  const odd = { ...headers, 'content-encoding': 'br' };
  expect((await get(`/bot${bot.token}/getMe`, { method: 'POST', headers: odd, body })).status).toBe(415);
});

test('an empty multipart body and one of unknown type are calls without parameters', async () => {
  for (const type of ['multipart/form-data; boundary=x', 'text/plain', 'application/json', '']) {
    const answer = await get(`/bot${bot.token}/getMe`, { method: 'POST', headers: { 'content-type': type }, body: '' });
    expect(answer.status).toBe(200);
  }
});

test('an empty parameter gives way to a file of its name', async () => {
  const person = (await platform.control.createPerson({})).id;
  await platform.control.startBot({ person, bot: bot.id, quietly: true });
  const form = new FormData();
  form.set('document', new Blob(['content']), 'a b.txt');
  const path = `/bot${bot.token}/sendDocument?chat_id=${person}&document=`;
  const answer = await get(path, { method: 'POST', body: form });
  expect(JSON.parse(answer.text).result.document).toMatchObject({ file_name: 'a b.txt', file_size: 7 });
});

test('a text of 4 096 Cyrillic letters fits into a query string', async () => {
  const person = (await platform.control.createPerson({})).id;
  await platform.control.startBot({ person, bot: bot.id, quietly: true });
  const text = 'ж'.repeat(4096);
  const answer = await get(`/bot${bot.token}/sendMessage?chat_id=${person}&text=${encodeURIComponent(text)}`);
  expect(JSON.parse(answer.text).result.text).toBe(text);
  expect(answer.text).toContain('\\u0436');
});
