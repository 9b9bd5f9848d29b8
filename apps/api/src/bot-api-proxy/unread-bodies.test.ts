import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { ADMIN_KEY, startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

const URL_BEFORE = 'http://127.0.0.1:9/before';
const JSON_BODY = JSON.stringify({ url: 'http://127.0.0.1:9/after', limit: 1 });

let api: TestApi;
let admin: RestClient;
let token: string;
let id: number;

beforeAll(async () => {
  api = await startTestApi({ AUTO_REGISTER_BOTS: '1' });
  admin = restClient(api.url, ADMIN_KEY);
});
afterAll(() => api.stop());
beforeEach(async () => {
  const created = await api.platform.createBot({});
  token = created.token;
  const added = await admin('POST', '/api/bots/add', { body: { token, backend_url: URL_BEFORE } });
  expect(added.status).toBe(200);
  id = (added.json as { id: number }).id;
});

async function send(method: string, headers: Record<string, string>, body: Buffer | string, path = 'tgapi') {
  const init = { method: 'POST', headers, body };
  const answer = await fetch(`${api.url}/${path}/bot${token}/${method}`, init);
  const text = await answer.text();
  return { status: answer.status, text };
}
const backendUrl = async () => {
  const bots = (await admin('GET', '/api/bots')).json as { id: number; backend_url?: string }[];
  return bots.find((bot) => bot.id === id)?.backend_url;
};

const JSON_TYPE = { 'content-type': 'application/json' };
const PARTS = { 'content-type': 'multipart/form-data; boundary=B' };
const packed = (encoding: string) => ({ ...JSON_TYPE, 'content-encoding': encoding });
const whole = gzipSync(JSON_BODY);
const damaged = Buffer.from(whole);
damaged[whole.length - 6] = (damaged[whole.length - 6] ?? 0) ^ 1;
const field = '--B\r\nContent-Disposition: form-data; name="limit"\r\n\r\n1\r\n';

const UNREADABLE: [string, Record<string, string>, Buffer | string, number][] = [
  ['damaged gzip', packed('gzip'), damaged, 400],
  ['gzip that is cut off', packed('gzip'), whole.subarray(0, 30), 400],
  ['gzip without its check', packed('gzip'), whole.subarray(0, whole.length - 8), 400],
  ['deflate that is cut off', packed('deflate'), deflateSync(JSON_BODY).subarray(0, 20), 400],
  ['deflate without its header', packed('deflate'), deflateRawSync(JSON_BODY), 400],
  ['a body that is not packed at all', packed('gzip'), JSON_BODY, 400],
  ['br', packed('br'), JSON_BODY, 415],
  ['identity, which the platform does not know', packed('identity'), JSON_BODY, 415],
  ['two encodings', packed('gzip, gzip'), whole, 415],
  ['a form without an end', PARTS, field, 400],
  ['a closing boundary alone', PARTS, '--B--\r\n', 400],
  ['a part without a name', PARTS, field.replace('name=', 'nam='), 400],
  ['a form without a boundary', { 'content-type': 'multipart/form-data' }, field, 400],
];

describe.each(UNREADABLE)('a call with %s', (_name, headers, body, status) => {
  test.each(['setWebhook', 'deleteWebhook', 'getWebhookInfo', 'getUpdates'])(
    '%s is refused and changes nothing',
    async (method) => {
      const answer = await send(method, headers, body);
      expect(answer.status).toBe(status);
      if (status === 400) expect(JSON.parse(answer.text)).toMatchObject({ ok: false, error_code: 400 });
      expect(await backendUrl()).toBe(URL_BEFORE);
    },
  );

  test('also for a token that nobody registered', async () => {
    token = (await api.platform.createBot({})).token;
    expect((await send('setWebhook', headers, body)).status).toBe(status);
    const bots = (await admin('GET', '/api/bots')).json as { token?: string }[];
    expect(bots.some((bot) => bot.token === token)).toBe(false);
  });
});

describe('a call with more parameters than are read is refused and changes nothing', () => {
  const many = `${'a&'.repeat(1000)}url=http://127.0.0.1:9/after`;
  test.each([
    ['in its query string', `?${many}`, {}, ''],
    ['in a form', '', { 'content-type': 'application/x-www-form-urlencoded' }, many],
    ['in JSON', '', JSON_TYPE, `{${'"a":1,'.repeat(1000)}"url":"http://127.0.0.1:9/after"}`],
  ])('%s', async (_name, query, headers, body) => {
    const init = body === '' ? {} : { method: 'POST', headers, body };
    const answer = await fetch(`${api.url}/tgapi/bot${token}/setWebhook${query}`, init);
    expect([answer.status, await answer.json()]).toMatchObject([413, { ok: false, error_code: 413 }]);
    expect(await backendUrl()).toBe(URL_BEFORE);
  });
});

describe('what the platform reads is read', () => {
  test.each([
    ['gzip that calls itself deflate', packed('deflate'), whole],
    ['deflate that calls itself gzip', packed('GZIP'), deflateSync(JSON_BODY)],
    ['gzip with something behind it', packed('gzip'), Buffer.concat([whole, Buffer.from('junk')])],
    ['no encoding, said so', packed('none'), JSON_BODY],
    ['JSON that is cut off', JSON_TYPE, JSON_BODY.slice(0, -1)],
  ])('%s', async (_name, headers, body) => {
    expect((await send('setWebhook', headers, body)).status).toBe(200);
    expect(await backendUrl()).toBe('http://127.0.0.1:9/after');
  });

  test('of two members of gzip the first', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded', 'content-encoding': 'gzip' };
    const two = Buffer.concat([gzipSync('url=http://127.0.0.1:9/one'), gzipSync('/two')]);
    expect((await send('setWebhook', form, two)).status).toBe(200);
    expect(await backendUrl()).toBe('http://127.0.0.1:9/one');
  });
});
