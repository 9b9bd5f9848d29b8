import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { KEPT_ANSWER_BYTES } from '@flotilla/domain/delivery/idempotency/kept-answer.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { rawConnection } from '@flotilla/testing/raw-http.ts';
import { startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

type Call = { url: string; headers: IncomingMessage['headers']; body: string };
type Answerer = (request: IncomingMessage, response: ServerResponse) => void;

let platform: Server;
let api: TestApi;
let pod: { url: string };
let redis: RedisHandles;
let calls: Call[] = [];
let answer: Answerer;
let bot: { id: number; token: string };
let drawn = 0;

const ME = '{"ok":true,"result":{"id":1,"is_bot":true,"first_name":"B","username":"b_bot"}}';
const sent = (id: number) =>
  `{"ok":true,"result":{"message_id":${id},"date":1,"chat":{"id":5,"type":"private"},"text":"ж"}}`;
const send = (response: ServerResponse, status: number, body: string | Buffer, headers = {}) => {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(body);
};

beforeAll(async () => {
  platform = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      if (/\/(getMe|deleteWebhook)$/.test(request.url ?? '')) return send(response, 200, ME);
      calls.push({ url: request.url ?? '', headers: request.headers, body: Buffer.concat(pieces).toString() });
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
  api = await startTestApi({ TELEGRAM_API_URL: `http://127.0.0.1:${(platform.address() as AddressInfo).port}` });
  pod = await api.startPod();
  redis = await connectRedis({ url: api.redis.url, log: createLogger({ name: 'test', level: 'silent' }) });
  api.endBefore(() => redis.close());
}, 60_000);
afterAll(async () => {
  await api?.stop();
  platform?.closeAllConnections();
  platform?.close();
});
beforeEach(async () => {
  calls = [];
  answer = (_request, response) => send(response, 200, sent(calls.length));
  drawn += 1;
  const added = await api.admin('POST', '/api/bots/add', {
    body: { token: `${8000 + drawn}:AAkeyskeyskeyskeyskeyskeyskeyskeysk` },
  });
  bot = added.json as { id: number; token: string };
  await waitFor(async () => (await fetch(`${pod.url}/readyz`)).ok);
});

type Options = { key?: string; body?: unknown; token?: string; method?: string; url?: string; signal?: AbortSignal };

async function call({ key, body = { chat_id: 5, text: 'x' }, ...options }: Options = {}) {
  const { token = bot.token, method = 'sendMessage', url = api.url, signal } = options;
  const isForm = body instanceof FormData || typeof body === 'string';
  const response = await fetch(`${url}/tgapi/bot${token}/${method}`, {
    method: 'POST',
    redirect: 'manual',
    body: isForm ? body : JSON.stringify(body),
    headers: {
      ...(isForm ? {} : { 'Content-Type': 'application/json' }),
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
    },
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  return {
    status: response.status,
    text,
    replayed: response.headers.get('idempotency-replayed'),
    type: response.headers.get('content-type'),
  };
}
const description = ({ text }: { text: string }) => (JSON.parse(text) as { description: string }).description;

describe('a call that is repeated with its key', () => {
  test('is carried out once; its first answer comes again, byte for byte, on any replica', async () => {
    const first = await call({ key: 'a' });
    const again = await call({ key: 'a', url: pod.url });
    expect(first).toEqual({ status: 200, text: sent(1), replayed: null, type: 'application/json' });
    expect(again).toEqual({ ...first, replayed: 'true' });
    expect(calls).toHaveLength(1);
    expect(calls[0]?.headers).not.toHaveProperty('idempotency-key');
  });

  test('is not captured again', async () => {
    await call({ key: 'a' });
    await waitFor(async () => (await redis.commands.xlen(botKeys(bot.id).history)) > 0);
    const before = await redis.commands.xlen(botKeys(bot.id).history);
    await call({ key: 'a' });
    await call({ key: 'b' });
    await waitFor(async () => (await redis.commands.xlen(botKeys(bot.id).history)) > before);
    expect(await redis.commands.xlen(botKeys(bot.id).history)).toBe(before + 1);
  });

  test('may have another boundary', async () => {
    const form = () => {
      const made = new FormData();
      made.set('chat_id', '5');
      made.set('document', new Blob(['x'.repeat(200_000)]), 'a.txt');
      return made;
    };
    const first = await call({ key: 'a', method: 'sendDocument', body: form() });
    const again = await call({ key: 'a', method: 'sendDocument', body: form() });
    expect([first.status, again.text, again.replayed, calls.length]).toEqual([200, first.text, 'true', 1]);
    const other = form();
    other.set('document', new Blob(['y'.repeat(200_000)]), 'a.txt');
    expect((await call({ key: 'a', method: 'sendDocument', body: other })).status).toBe(400);
  });

  test('gets a refusal of the platform again', async () => {
    answer = (_request, response) =>
      send(response, 400, '{"ok":false,"error_code":400,"description":"Bad Request: x"}');
    const first = await call({ key: 'a' });
    expect(await call({ key: 'a' })).toEqual({ ...first, replayed: 'true' });
    expect(calls).toHaveLength(1);
  });

  test('gets a compressed answer in a form that it can read, too', async () => {
    answer = (_request, response) => send(response, 200, gzipSync(sent(7)), { 'Content-Encoding': 'gzip' });
    const first = await call({ key: 'a' });
    expect(first.text).toBe(sent(7));
    expect(await call({ key: 'a' })).toEqual({ ...first, replayed: 'true' });
    const again = await fetch(`${pod.url}/tgapi/bot${bot.token}/sendMessage`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'a', 'Accept-Encoding': 'identity' },
      body: '{"chat_id":5,"text":"x"}',
    });
    expect([await again.text(), again.headers.get('content-encoding')]).toEqual([sent(7), null]);
  });

  test('is told that it was answered, if the answer was too long to be kept', async () => {
    answer = (_request, response) => send(response, 200, `{"ok":true,"result":"${'x'.repeat(KEPT_ANSWER_BYTES)}"}`);
    expect((await call({ key: 'a' })).status).toBe(200);
    const again = await call({ key: 'a' });
    expect([again.status, description(again)]).toEqual([
      409,
      'Conflict: the first call with this Idempotency-Key was answered, but its answer is not kept',
    ]);
    expect(calls).toHaveLength(1);
  });

  test.each([
    ['other parameters', { body: { chat_id: 5, text: 'y' } }],
    ['another method', { method: 'editMessageText' }],
    ['a query string', { method: 'sendMessage?silent=1' }],
  ])('is refused with %s', async (_name, other) => {
    await call({ key: 'a' });
    const refused = await call({ key: 'a', ...other });
    expect([refused.status, description(refused)]).toEqual([
      400,
      'Bad Request: this Idempotency-Key was used for another call',
    ]);
    expect(calls).toHaveLength(1);
  });

  test('waits while the first one runs', async () => {
    let release = () => undefined as unknown;
    answer = (_request, response) => {
      release = () => send(response, 200, sent(9));
    };
    const first = call({ key: 'a' });
    await waitFor(() => calls.length === 1);
    const others = [call({ key: 'a' }), call({ key: 'a', url: pod.url }), call({ key: 'a', url: pod.url })];
    const entry = async () => Object.values(await redis.commands.hgetall(botKeys(bot.id).idempotency.entries));
    await waitFor(async () => (await entry()).some((text) => text.startsWith('w')));
    release();
    const answers = await Promise.all([first, ...others]);
    expect(answers.map(({ text, replayed }) => [text, replayed])).toEqual([
      [sent(9), null],
      [sent(9), 'true'],
      [sent(9), 'true'],
      [sent(9), 'true'],
    ]);
    expect(calls).toHaveLength(1);
  });
});

describe('a call that runs', () => {
  test('keeps its key for as long as it takes', async () => {
    let release = () => undefined as unknown;
    answer = (_request, response) => {
      release = () => send(response, 200, sent(4));
    };
    const first = call({ key: 'a' });
    await waitFor(() => calls.length === 1);
    const until = async () => {
      const entries = Object.values(await redis.commands.hgetall(botKeys(bot.id).idempotency.entries));
      return Number(/^[rw](\d+):/.exec(entries[0] ?? '')?.[1]);
    };
    const begun = await until();
    await waitFor(async () => (await until()) > begun, { timeoutMs: 15_000 });
    release();
    expect(await first).toMatchObject({ status: 200 });
    expect(await call({ key: 'a' })).toMatchObject({ text: sent(4), replayed: 'true' });
  });

  test('and whose client has left is waited for while its process stops', async () => {
    let release = () => undefined as unknown;
    answer = (_request, response) => {
      release = () => send(response, 200, sent(5));
    };
    const stopping = await api.startPod();
    await waitFor(async () => (await fetch(`${stopping.url}/readyz`)).ok);
    const gone = new AbortController();
    const left = call({ key: 'a', method: 'getChat', url: stopping.url, signal: gone.signal }).catch(() => 'left');
    await waitFor(() => calls.length === 1);
    gone.abort();
    await left;
    const stopped = stopping.stop();
    const refused = () =>
      fetch(`${stopping.url}/healthz`).then(
        () => false,
        () => true,
      );
    await waitFor(refused);
    release();
    await stopped;
    expect(await call({ key: 'a', method: 'getChat' })).toMatchObject({ text: sent(5), replayed: 'true' });
  });
});

test('a token with 225 such calls in flight in one process gets 503 for more, and others of its bot and other bots do not', async () => {
  const program = await api.admin('POST', '/api/programs/add', {
    body: { bot_id: bot.id, name: 'calm', mode: 'pull' },
  });
  const made = await api.admin('POST', '/api/programs/tokens/add', {
    body: { program_id: (program.json as { id: number }).id, name: 't' },
  });

  const waiting: (() => void)[] = [];
  answer = (_request, response) => void waiting.push(() => send(response, 200, sent(6)));
  const first = Array.from({ length: 225 }, (_, at) => call({ key: `k${at}` }));
  await waitFor(() => calls.length === 225);
  const refused = await call({ key: 'more' });
  expect([refused.status, description(refused)]).toEqual([
    503,
    'Service Unavailable: no call with an Idempotency-Key can be taken now, retry after 1',
  ]);
  answer = (_request, response) => send(response, 200, sent(7));
  const other = await api.admin('POST', '/api/bots/add', {
    body: { token: '8998:AAkeyskeyskeyskeyskeyskeyskeyskeyske3' },
  });
  for (const { json } of [other, made]) {
    expect(await call({ key: 'more', token: (json as { token: string }).token })).toMatchObject({ status: 200 });
  }
  expect(await call()).toMatchObject({ status: 200 });
  for (const release of waiting) release();
  expect(new Set((await Promise.all(first)).map(({ status }) => status))).toEqual(new Set([200]));
  await waitFor(async () => (await call({ key: 'more' })).status === 200);
});

describe('the next try with a key is carried out', () => {
  test.each([429, 500, 502])('after %d', async (status) => {
    answer = (_request, response) => send(response, status, `{"ok":false,"error_code":${status},"description":"x"}`);
    expect((await call({ key: 'a' })).status).toBe(status);
    answer = (_request, response) => send(response, 200, sent(2));
    await waitFor(async () => (await call({ key: 'a' })).status === 200);
    expect(calls).toHaveLength(2);
  });

  test.each([302, 403, 429, 502, 503])('after a page of a gateway with %d', async (status) => {
    answer = (_request, response) => send(response, status, '<h1>nginx</h1>', { 'Content-Type': 'text/html' });
    const first = await call({ key: 'a' });
    expect([first.status, first.replayed]).toEqual([status, null]);
    answer = (_request, response) => send(response, 200, sent(2));
    await waitFor(async () => (await call({ key: 'a' })).status === 200);
  });

  test('after a compressed 500 of the platform', async () => {
    const body = gzipSync('{"ok":false,"error_code":500,"description":"x"}');
    answer = (_request, response) => send(response, 500, body, { 'Content-Encoding': 'gzip' });
    expect((await call({ key: 'a' })).status).toBe(500);
    answer = (_request, response) => send(response, 200, sent(2));
    await waitFor(async () => (await call({ key: 'a' })).status === 200);
  });

  test('after a body that broke off', async () => {
    const client = await rawConnection(api.port);
    const head = `POST /tgapi/bot${bot.token}/sendMessage HTTP/1.1\r\nHost: h\r\nContent-Type: application/json`;
    client.send(`${head}\r\nIdempotency-Key: a\r\nContent-Length: 24\r\n\r\n{"chat_id":5,`);
    await waitFor(async () => (await redis.commands.zcard(botKeys(bot.id).idempotency.claimed)) === 1);
    client.end();
    expect(await call({ key: 'a' })).toMatchObject({ status: 200, replayed: null });
  });
});

describe('nobody knows what became of a call', () => {
  test.each<[string, number, Answerer]>([
    ['whose answer the platform broke off', 502, (_request, response) => response.socket?.destroy()],
    ['that a gateway gave up', 504, (_request, response) => send(response, 504, '<h1>Gateway Time-out</h1>')],
    ['that a gateway answered with other JSON', 500, (_request, response) => send(response, 500, '{"error":"x"}')],
    ['that somebody else answered', 200, (_request, response) => send(response, 200, '<h1>Welcome</h1>')],
  ])('%s, so its key is refused', async (_name, status, ends) => {
    answer = ends;
    expect((await call({ key: 'a' })).status).toBe(status);
    const again = await call({ key: 'a' });
    expect([again.status, description(again)]).toEqual([
      409,
      'Conflict: nobody knows if the first call with this Idempotency-Key was carried out',
    ]);
    expect(calls).toHaveLength(1);
  });
});

test.each(['sendMessage', 'getChat'])(
  'the answer of %s is read after its client has left, for the next try',
  async (method) => {
    let release = () => undefined as unknown;
    answer = (_request, response) => {
      release = () => send(response, 200, sent(3));
    };
    const gone = new AbortController();
    const left = call({ key: 'a', method, signal: gone.signal }).catch(() => 'left');
    await waitFor(() => calls.length === 1);
    gone.abort();
    expect(await left).toBe('left');
    const next = call({ key: 'a', method });
    release();
    expect(await next).toMatchObject({ status: 200, text: sent(3), replayed: 'true' });
    expect(calls).toHaveLength(1);
  },
);

describe('a key is one', () => {
  test.each([
    ['an empty one', ''],
    ['a long one', 'x'.repeat(256)],
    ['one with a space', 'a b'],
  ])('of 1 to 255 visible ASCII characters: %s is refused', async (_name, key) => {
    const refused = await call({ key });
    expect([refused.status, description(refused)]).toEqual([
      400,
      'Bad Request: Idempotency-Key must be given once, with 1 to 255 visible ASCII characters',
    ]);
    expect(calls).toHaveLength(0);
  });

  test('of a bot, so another bot may use the same word', async () => {
    await call({ key: 'a' });
    const other = await api.admin('POST', '/api/bots/add', {
      body: { token: '8999:AAkeyskeyskeyskeyskeyskeyskeyskeyske2' },
    });
    const { token } = other.json as { token: string };
    expect(await call({ key: 'a', token })).toMatchObject({ status: 200, replayed: null });
  });

  test('of POST, so a GET is passed on each time', async () => {
    const get = () =>
      fetch(`${api.url}/tgapi/bot${bot.token}/sendMessage?chat_id=5&text=x`, { headers: { 'Idempotency-Key': 'a' } });
    await (await get()).text();
    await (await get()).text();
    expect(calls).toHaveLength(2);
  });

  test('of registered bots, so that of a stranger is passed on as it is', async () => {
    const token = '4242:AAstrangerstrangerstrangerstrangerx';
    await call({ key: 'a', token });
    await call({ key: 'a', token });
    expect(calls.map(({ headers }) => headers['idempotency-key'])).toEqual(['a', 'a']);
  });
});

describe('a token of a program', () => {
  const addProgram = async (): Promise<number> => {
    drawn += 1;
    const program = await api.admin('POST', '/api/programs/add', {
      body: { bot_id: bot.id, name: `p${drawn}`, mode: 'pull' },
    });
    return (program.json as { id: number }).id;
  };
  const tokenOf = async (limits: object, program?: number): Promise<string> => {
    const id = program ?? (await addProgram());
    const made = await api.admin('POST', '/api/programs/tokens/add', {
      body: { program_id: id, name: 't', ...limits },
    });
    return (made.json as { token: string }).token;
  };

  test('has keys of its own, and does not learn the secret from an answer that comes again', async () => {
    const [one, other] = [await tokenOf({}), await tokenOf({})];
    const secret = bot.token.split(':')[1] as string;
    answer = (_request, response) => send(response, 200, `{"ok":true,"result":"${secret}"}`);
    await call({ key: 'a' });
    const first = await call({ key: 'a', token: one });
    const again = await call({ key: 'a', token: one });
    expect(await call({ key: 'a', token: other })).toMatchObject({ status: 200, replayed: null });
    expect(again).toEqual({ ...first, replayed: 'true' });
    expect(again.text).not.toContain(secret);
    expect(calls).toHaveLength(3);
  });

  test('is shown no other token of its program in an answer that comes again', async () => {
    const program = await addProgram();
    const [one, other] = [await tokenOf({}, program), await tokenOf({}, program)];
    const [secret, ofOne, ofOther] = [bot.token, one, other].map((token) => token.split(':')[1] as string);
    answer = (_request, response) => send(response, 200, `{"ok":true,"result":"${secret}"}`);
    const first = await call({ key: 'a', token: one });
    expect(first.text).toContain(ofOne);
    const again = await call({ key: 'a', token: other });
    expect(again).toMatchObject({ status: 200, replayed: 'true', text: `{"ok":true,"result":"${ofOther}"}` });
    expect(await call({ key: 'a', token: one })).toEqual({ ...first, replayed: 'true' });
  });

  test('is held to its limits before its key is looked at', async () => {
    const token = await tokenOf({ chats: [5] });
    const form = (chat: string) => {
      const made = new FormData();
      made.set('chat_id', chat);
      made.set('document', new Blob(['x'.repeat(200_000)]), 'a.txt');
      return made;
    };
    const upload = (chat: string) => call({ key: 'f', token, method: 'sendDocument', body: form(chat) });
    expect(await upload('5')).toMatchObject({ status: 200, replayed: null });
    expect(await upload('5')).toMatchObject({ status: 200, replayed: 'true' });
    expect(await upload('6')).toMatchObject({ status: 403 });
    expect(await call({ key: 'j', token })).toMatchObject({ status: 200, replayed: null });
    expect(await call({ key: 'j', token })).toMatchObject({ status: 200, replayed: 'true' });
    expect(calls).toHaveLength(2);
  });
});

test('an answer of the flood shield is not kept, and an answer that is kept comes also while a flood lasts', async () => {
  await api.admin('POST', '/api/bots/update', { body: { id: bot.id, flood: 'shield' } });
  const first = await call({ key: 'done' });
  const flood = { parameters: { retry_after: 60 }, description: 'Too Many Requests: retry after 60' };
  answer = (_request, response) =>
    send(response, 429, JSON.stringify({ ok: false, error_code: 429, ...flood }), { 'Retry-After': '60' });
  expect((await call({ key: 'a' })).status).toBe(429);
  expect((await call({ key: 'b' })).status).toBe(429);
  expect(calls).toHaveLength(2);
  expect(await call({ key: 'done' })).toEqual({ ...first, replayed: 'true' });
  const keys = () => redis.commands.zcard(botKeys(bot.id).idempotency.claimed);
  await waitFor(async () => (await keys()) === 1);
});

test('a call without a key is passed on each time', async () => {
  expect([(await call()).replayed, (await call()).replayed, calls.length]).toEqual([null, null, 2]);
});
