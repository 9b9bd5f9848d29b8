import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { type RestAnswer, type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { ADMIN_KEY, startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

let api: TestApi;
let admin: RestClient;

beforeAll(async () => {
  api = await startTestApi();
  admin = restClient(api.url, ADMIN_KEY);
  // The bots get the ids 1 and 2.
  for (const at of [1, 2]) {
    const { token } = await api.platform.createBot({});
    expect((await admin('POST', '/api/bots/add', { body: { token } })).json).toMatchObject({ id: at });
  }
}, 60_000);

afterAll(async () => {
  await api?.stop();
});

const KEYS = '/api/auth/api-keys';
const post = (body: string, headers: Record<string, string> = {}) => admin('POST', KEYS, { body, headers });
const reasonOf = async (body: string, headers: Record<string, string> = {}) => {
  const answer = await post(body, headers);
  expect(answer.status).toBe(400);
  return (answer.json as { error: string }).error;
};

describe('a body', () => {
  test('may be JSON, urlencoded or missing, with the inputs in the query; the body wins', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' };
    const names = await Promise.all([
      post('{"name":"a"}'),
      post('name=b&role=user', form),
      admin('POST', KEYS, { query: { name: 'c' } }),
      admin('POST', KEYS, { query: { name: 'd', role: 'user' }, body: { name: 'e' } }),
      admin('POST', KEYS, { query: { name: 'f', bot_ids: '[1]' } }),
      admin('POST', `${KEYS}/create`, { query: { name: 'g', bot_ids: '1,2' } }),
      post('name=h&bot_ids=1&bot_ids=2', form),
    ]);
    const made = names.map(({ json }) => json as { name: string; role: string; bot_ids: number[] | null });
    expect(made.map(({ name, role, bot_ids }) => [name, role, bot_ids])).toEqual([
      ['a', 'admin', null],
      ['b', 'user', null],
      ['c', 'admin', null],
      ['e', 'user', null],
      ['f', 'admin', [1]],
      ['g', 'admin', [1, 2]],
      ['h', 'admin', [1, 2]],
    ]);
  });

  test('that was listed can be posted back, its read-only fields ignored', async () => {
    const [listed] = (await admin('GET', KEYS)).json as { id: number }[];
    expect((await admin('POST', `${KEYS}/toggle`, { body: { ...listed, enabled: true } })).status).toBe(200);
  });

  test('that is not what it says is 400 and says why', async () => {
    expect(await reasonOf('{"name":')).toBe('The body is not valid JSON');
    expect(await reasonOf('[]')).toBe('The body must be a JSON object');
    expect(await reasonOf('null')).toBe('The body must be a JSON object');
    expect(await reasonOf('"text"')).toBe('The body must be a JSON object');
    expect(await reasonOf('{"name":"a","n\\u0061me":"b"}')).toBe('The body names "name" twice');
    expect(await reasonOf('{"name":"a","x":{"y":1,"y":2}}')).toBe('The body names "y" twice');
    expect(await reasonOf('{"__proto__":{"role":"admin"},"name":"a"}')).toContain('__proto__ is not a field');
    expect(await reasonOf('{"constructor":1,"name":"a"}')).toContain('constructor is not a field');
    expect(await reasonOf('{"name":"\\ud800"}')).toContain('surrogate');
    expect(await reasonOf('{"name":"a\\u0000b"}')).toContain('NUL');
  });

  test('or a query that is at fault as a whole is what details name', async () => {
    const pathOf = (json: unknown) => (json as { details: { path: string }[] }).details.map(({ path }) => path);
    expect(pathOf((await post('{"name":')).json)).toEqual(['body']);
    const asForm = await post('{"name":"secret"}', { 'content-type': 'application/x-www-form-urlencoded' });
    expect([asForm.status, pathOf(asForm.json)]).toEqual([400, ['body']]);
    expect(JSON.stringify(asForm.json)).not.toContain('secret');
    expect(JSON.stringify(asForm.json)).toContain('send it with Content-Type: application/json');
    expect(pathOf((await admin('GET', '/api/bots/health', { query: { id: 1 } })).json)).toEqual(['query']);
    expect(pathOf((await admin('GET', `/api/bots?${'a&'.repeat(2001)}`)).json)).toEqual(['query']);
    expect(pathOf((await admin('POST', `${KEYS}?${'a&'.repeat(2001)}`)).json)).toEqual(['query']);
  });

  test('that is packed is unpacked, and 400 where that breaks off', async () => {
    const packed = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };
    for (const [encoding, pack] of Object.entries(packed)) {
      const send = (body: Buffer) =>
        fetch(`${api.url}${KEYS}`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${ADMIN_KEY}`,
            'content-type': 'application/json',
            'content-encoding': encoding,
          },
          body,
        });
      const body = pack(`{"name":"${encoding}"}`);
      expect(await (await send(body)).json()).toMatchObject({ name: encoding });
      expect((await send(body.subarray(0, -3))).status).toBe(400);
    }
  });

  test('that is not UTF-8 is 400', async () => {
    const answer = await fetch(`${api.url}${KEYS}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
      body: Buffer.from([123, 34, 255, 34, 125]),
    });
    expect(answer.status).toBe(400);
  });

  test('of another type, charset or encoding is 415', async () => {
    const types = [
      'text/plain',
      'multipart/form-data; boundary=x',
      'application/xml',
      'application/json; charset=utf-16',
    ];
    for (const type of types) expect((await post('{"name":"a"}', { 'content-type': type })).status).toBe(415);
    expect((await post('{"name":"a"}', { 'content-encoding': 'compress' })).json).toMatchObject({
      code: 'unsupported_media_type',
    });
  });

  test('beyond 1 MiB is 413, also when it only unpacks to that, and nothing of a large one is kept', async () => {
    expect((await post(`{"name":"${'x'.repeat(1_048_576)}"}`)).json).toMatchObject({ code: 'payload_too_large' });
    const bomb = await fetch(`${api.url}${KEYS}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${ADMIN_KEY}`,
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
      body: gzipSync(Buffer.alloc(50_000_000, 32)),
    });
    expect(bomb.status).toBe(413);
    expect(await sendLarge(60)).toBe(413);
  });
});

describe('a sign-in', () => {
  test('beyond 16 KiB is 413, whatever it says of its length and packs', async () => {
    const body = (bytes: number) => `{"username":"x","password":"${'x'.repeat(bytes - 30)}"}`;
    const signIn = (text: string | Buffer | ReadableStream, headers: Record<string, string> = {}) =>
      fetch(`${api.url}/api/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: text,
        duplex: 'half',
      } as RequestInit);
    expect((await signIn(body(16_384))).status).toBe(400 /* the password is too long, not the body */);
    expect(await (await signIn(body(16_385))).json()).toMatchObject({
      code: 'payload_too_large',
      error: 'The body is larger than 16 KiB',
    });
    expect((await signIn(new Blob([body(16_385)]).stream())).status).toBe(413);
    expect((await signIn(gzipSync(body(16_385)), { 'content-encoding': 'gzip' })).status).toBe(413);
  });
});

/** Streams this many MB without a Content-Length; resolves with the status, however early it comes. */
function sendLarge(megabytes: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' };
    const sending = httpRequest(`${api.url}${KEYS}`, { method: 'POST', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
      sending.destroy();
    });
    sending.on('error', reject);
    const chunk = Buffer.alloc(1_000_000, 32);
    let left = megabytes;
    const write = () => {
      while (left > 0 && !sending.destroyed) {
        left -= 1;
        if (!sending.write(chunk)) return void sending.once('drain', write);
      }
      sending.end();
    };
    write();
  });
}

describe('a body made to cost time', () => {
  const deep = 100_000;
  const keys = Array.from({ length: 90_000 }, (_, at) => `"k${at}":1`).join(',');
  const bodies: [string, string, string][] = [
    ['100,000 arrays deep', `{"name":${'['.repeat(deep)}${']'.repeat(deep)}}`, 'application/json'],
    ['100,000 objects deep', `${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`, 'application/json'],
    ['100,000 levels and no end', '['.repeat(deep), 'application/json'],
    ['90,000 keys', `{${keys}}`, 'application/json'],
    ['110,000 times one key', `{${'"name":1,'.repeat(110_000)}"name":1}`, 'application/json'],
    ['140,000 form fields', Array.from({ length: 140_000 }, (_, at) => `k${at}`).join('&'), urlencoded()],
    ['one form field 170,000 times', 'name=&'.repeat(170_000), urlencoded()],
    ['a million backslashes', `{"name":"${'\\\\'.repeat(500_000)}"}`, 'application/json'],
    ['a quote without end', `{"name":"${'x'.repeat(1_000_000)}`, 'application/json'],
    ['half a million blanks behind a string', `{"name"${' '.repeat(500_000)}"`, 'application/json'],
    ['many strings before many blanks', `[${`""${' '.repeat(900)},`.repeat(1100)}`, 'application/json'],
  ];

  test.each(bodies)('%s is 400 and holds nobody up', async (_title, body, type) => {
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const answer = await post(body, { 'content-type': type });
    delay.disable();
    expect(answer.status).toBe(400);
    expect(answer.text.length).toBeLessThan(5000);
    // Quadratic work on these bodies takes many seconds; pauses of the machine stay below this.
    expect(delay.max / 1e6).toBeLessThan(5_000);
  });

  function urlencoded(): string {
    return 'application/x-www-form-urlencoded';
  }
});

describe('every answer', () => {
  test('carries a request id and the headers that protect a browser', async () => {
    for (const path of ['/api/bots', '/api/auth/me', '/nowhere', '/livez']) {
      const { headers } = await admin('GET', path);
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-powered-by')).toBeNull();
    }
  });

  test('of an unknown path is 404, and of a HEAD what GET would say', async () => {
    for (const path of ['/api', '/api/nothing', '/api/bots/add/more', '/%', '/api/%E0%A4%A']) {
      const answer = await admin('GET', path);
      expect([400, 404]).toContain(answer.status);
      expect(answer.json).toMatchObject({ error: expect.any(String), request_id: expect.any(String) });
    }
    const head = await admin('HEAD', '/api/bots');
    expect([head.status, head.text]).toEqual([200, '']);
  });

  test('is in the log once, by its request id, without its query', async () => {
    const { headers } = await admin('GET', '/api/bots', { query: { limit: 3, _secret: 'do-not-log-this' } });
    const lines = api.logLines.filter((line) => line.includes(headers.get('x-request-id') ?? '-'));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      req: { method: 'GET', path: '/api/bots' },
      res: { status: 200 },
    });
    expect(api.logLines.join('')).not.toContain('do-not-log-this');
  });

  test('is in the log with the account and the key that asked, also where it was refused, and with neither of a stranger', async () => {
    const { db } = api.database;
    const account = await insertAccount(db, { username: 'logged' });
    const own = db.selectFrom('api_keys').select('id').where('account_id', '=', account.id);
    const { id: keyId } = await own.executeTakeFirstOrThrow();
    const { username, password } = account;
    const signedIn = await restClient(api.url)('POST', '/api/auth/login', { body: { username, password } });
    const headers = { cookie: signedIn.headers.getSetCookie()[0]!.split(';')[0]! };
    const logged = async (answer: RestAnswer): Promise<Record<string, unknown>> => {
      const id = answer.headers.get('x-request-id') ?? '-';
      const line = await waitFor(() => api.logLines.find((text) => text.includes(id) && text.includes('"durationMs"')));
      return JSON.parse(line ?? '');
    };
    const [byKey, nobody] = [restClient(api.url, account.key), restClient(api.url)];
    const ofAccount = { accountId: account.id };
    expect(await logged(await byKey('GET', '/api/auth/me'))).toMatchObject({ ...ofAccount, keyId });
    expect(await logged(await byKey('GET', '/api/auth/users'))).toMatchObject({
      ...ofAccount,
      keyId,
      res: { status: 403 },
    });
    expect(await logged(await byKey('GET', '/admin/queues'))).toMatchObject({
      ...ofAccount,
      keyId,
      res: { status: 403 },
    });
    const bySession = await logged(await nobody('GET', '/api/auth/me', { headers }));
    expect(bySession).toMatchObject(ofAccount);
    expect(bySession).not.toHaveProperty('keyId');
    for (const path of ['/api/auth/me', '/openapi.json']) {
      const line = await logged(await nobody('GET', path));
      expect(line).not.toHaveProperty('accountId');
      expect(line).not.toHaveProperty('keyId');
    }
  });
});

test('a connection that sends no whole request head is closed', async () => {
  await Promise.all(
    Array.from({ length: 50 }, async (_, at) => {
      const socket = connect(api.port, '127.0.0.1');
      socket.on('error', () => {});
      if (at % 2 === 0) socket.write('GET /api/bots HTTP/1.1\r\nHost: x\r\n');
      await new Promise((resolve) => socket.on('close', resolve).resume());
    }),
  );
});
