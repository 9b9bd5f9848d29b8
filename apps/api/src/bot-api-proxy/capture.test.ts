import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { CAPTURED_METHODS } from '@flotilla/telegram/captured-methods.ts';
import { rawExchange } from '@flotilla/testing/raw-http.ts';
import { type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { ADMIN_KEY, startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

type Captured = { method: string; params: Record<string, string>; result: string };

const MESSAGE = '{"date":1,"message_id":9007199254740993,"chat":{"id":-5, "type":"private"},"text":"\\u0041}"}';

let platform: Server;
let api: TestApi;
let admin: RestClient;
let redis: RedisHandles;
let botNumber = 1000;
let username: string;
/** How the platform answers a method; returns false for the default answer. */
let answer: (res: ServerResponse, method: string) => boolean;

beforeAll(async () => {
  platform = createServer((req, res) => {
    req.resume();
    req.on('end', () => {
      const [, token = '', method = ''] = /^\/bot([^/]+)\/(\w+)/.exec(req.url ?? '') ?? [];
      if (method === 'getMe' || method === 'deleteWebhook') {
        const id = Number(token.split(':')[0]);
        res.end(JSON.stringify({ ok: true, result: { id, is_bot: true, first_name: 'B', username } }));
      } else if (!answer(res, method)) res.end(`{"ok":true,"result":${MESSAGE}}`);
    });
  });
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
  api = await startTestApi({ TELEGRAM_API_URL: `http://127.0.0.1:${(platform.address() as AddressInfo).port}` });
  admin = restClient(api.url, ADMIN_KEY);
  redis = await connectRedis({ url: api.redis.url, log: createLogger({ name: 'test', level: 'silent' }) });
});
afterAll(async () => {
  await redis.close();
  await api.stop();
  platform.closeAllConnections();
  platform.close();
});
beforeEach(() => {
  username = 'b_bot';
  answer = () => false;
});

async function newBot(settings: object = {}): Promise<{ id: number; token: string }> {
  botNumber += 1;
  const token = `${botNumber}:AAcapturecapturecapturecapturecaptur`;
  const added = await admin('POST', '/api/bots/add', { body: { token, ...settings } });
  expect(added.status).toBe(200);
  return added.json as { id: number; token: string };
}
async function call(token: string, path: string, init: RequestInit = {}): Promise<string> {
  return (await fetch(`${api.url}/tgapi/bot${token}/${path}`, init)).text();
}
const json = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** The calls that wait for the history writer; no worker runs here to take them. */
async function readCaptured(botId: number): Promise<Captured[]> {
  const entries = await redis.commands.xrange(botKeys(botId).history, '-', '+');
  return entries
    .map(([, fields]) => Object.fromEntries(pairs(fields)))
    .filter((entry) => entry.t === 'call' && entry.b === String(botId))
    .map(({ m, p, r }) => ({ method: m ?? '', params: JSON.parse(p ?? '{}'), result: r ?? '' }));
}
function pairs(fields: string[]): [string, string][] {
  return fields.flatMap((name, at) => (at % 2 === 0 ? [[name, fields[at + 1] ?? ''] as [string, string]] : []));
}
const waitForCaptured = (botId: number, count: number) =>
  waitFor(async () => {
    const captured = await readCaptured(botId);
    return captured.length >= count && captured;
  }) as Promise<Captured[]>;

/** Makes one call that is always captured: all earlier captures are on the stream once it is there. */
async function onlyCaptured(bot: { id: number; token: string }): Promise<Captured[]> {
  await call(bot.token, 'sendDice', json({ chat_id: 1 }));
  const captured = await waitFor(async () => {
    const seen = await readCaptured(bot.id);
    return seen.at(-1)?.method === 'senddice' && seen;
  });
  return (captured as Captured[]).slice(0, -1);
}

describe('a call is captured', () => {
  test('with the platform’s own bytes of the result', async () => {
    const bot = await newBot();
    expect(await call(bot.token, 'SendMessage', json({ chat_id: -5, text: 'x' }))).toBe(
      `{"ok":true,"result":${MESSAGE}}`,
    );
    expect(await waitForCaptured(bot.id, 1)).toEqual([{ method: 'sendmessage', params: {}, result: MESSAGE }]);
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('when the platform compresses with %s, which the client still gets as it came', async (encoding, compress) => {
    const bot = await newBot();
    const body = compress(`{"ok":true,"result":${MESSAGE}}`);
    answer = (res) => {
      res.writeHead(200, { 'Content-Encoding': encoding, 'Content-Length': body.length });
      res.end(body);
      return true;
    };
    expect(await call(bot.token, 'sendMessage', json({}))).toBe(`{"ok":true,"result":${MESSAGE}}`);
    expect(await waitForCaptured(bot.id, 1)).toEqual([{ method: 'sendmessage', params: {}, result: MESSAGE }]);
  });

  test('when its answer comes in pieces', async () => {
    const bot = await newBot();
    answer = (res) => {
      const text = Buffer.from(`{"ok":true,"result":${MESSAGE.replace('text', 'тext')}}`);
      res.write(text.subarray(0, 95));
      setTimeout(() => res.end(text.subarray(95)), 20);
      return true;
    };
    await call(bot.token, 'sendMessage', json({}));
    expect((await waitForCaptured(bot.id, 1))[0]?.result).toBe(MESSAGE.replace('text', 'тext'));
  });

  test.each([
    ['JSON', json('{"chat_id":-9007199254740993,"message_ids":[1, 2],"from_chat_id":"@src"}'), ''],
    ['a query', {}, '?chat_id=-9007199254740993&message_ids=[1, 2]&from_chat_id=@src'],
    [
      'urlencoded',
      {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'chat_id=-9007199254740993&message_ids=%5B1%2C+2%5D&from_chat_id=%40src',
      },
      '',
    ],
    ['a query and JSON', json('{"message_ids":[1, 2],"chat_id":7}'), '?chat_id=-9007199254740993&from_chat_id=%40src'],
  ])('with its parameters from %s where the result does not say enough', async (_shape, init, query) => {
    const bot = await newBot();
    answer = (res) => Boolean(res.end('{"ok":true,"result":[{"message_id":8}]}'));
    await call(bot.token, `copyMessages${query}`, init);
    const params = { chat_id: '-9007199254740993', message_ids: '[1, 2]', from_chat_id: '@src' };
    expect(await waitForCaptured(bot.id, 1)).toEqual([
      { method: 'copymessages', params, result: '[{"message_id":8}]' },
    ]);
  });

  test('with the labels of the reply keyboard that the message is sent with, which no answer has, in any form', async () => {
    const bot = await newBot();
    const markup = JSON.stringify({ keyboard: [[{ text: 'Port', request_contact: true }, 'Starboard']] });
    const inline = JSON.stringify({ inline_keyboard: [[{ text: 'A', callback_data: 'a' }]] });
    const query = `reply_markup=${encodeURIComponent(markup)}`;
    const part = (head: string, content: string) =>
      `--b\r\ncontent-disposition:form-data;${head}\r\n\r\n${content}\r\n`;
    const form = (body: string) => ({
      ...{ method: 'POST', headers: { 'content-type': 'multipart/form-data; boundary=b' } },
      body: `${body}${part('name="reply_markup"', markup)}--b--\r\n`,
    });
    const urlEncoded = { 'content-type': 'application/x-www-form-urlencoded' };
    const calls: RequestInit[] = [
      json({ chat_id: 1, reply_markup: markup }),
      json({ chat_id: 1, reply_markup: JSON.parse(markup) }),
      json({ chat_id: 1, text: 'x'.repeat(40_000), reply_markup: JSON.parse(markup) }),
      { method: 'POST', headers: urlEncoded, body: query },
      form(part('name="text"', 'x')),
      form(part('name="photo";filename=a b.jpg', 'x'.repeat(3_000_000))),
    ];
    for (const init of calls) await call(bot.token, 'sendPhoto', init);
    await call(bot.token, `sendPhoto?${query}`);
    await call(bot.token, 'sendPhoto', json({ chat_id: 1, reply_markup: inline }));
    const kept = { reply_markup: '{"keyboard":[["Port","Starboard"]]}' };
    const captured = await waitForCaptured(bot.id, 8);
    expect(captured.map(({ params }) => params)).toEqual([...Array(7).fill(kept), {}]);
  });

  test('with parameters that stand behind a large file', async () => {
    const bot = await newBot();
    answer = (res) => Boolean(res.end('{"ok":true,"result":true}'));
    const part = (head: string, content: string) =>
      `--b\r\ncontent-disposition:form-data;${head}\r\n\r\n${content}\r\n`;
    const file = part('name="photo";filename=a b.jpg', 'x'.repeat(3_000_000));
    const body = `${file}${part('name="chat_id"', '-77')}--b--\r\n`;
    await call(bot.token, 'setChatPhoto', {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      body,
    });
    expect(await waitForCaptured(bot.id, 1)).toEqual([
      { method: 'setchatphoto', params: { chat_id: '-77' }, result: 'true' },
    ]);
  });

  test('in the order of the answers, whichever of them are compressed', async () => {
    const bot = await newBot();
    let sent = 0;
    answer = (res) => {
      sent += 1;
      const text = `{"ok":true,"result":{"message_id":${sent},"pad":"${'x'.repeat(sent % 7 === 0 ? 50_000 : 1)}"}}`;
      const compressed = sent % 3 === 0;
      if (compressed) res.setHeader('Content-Encoding', 'gzip');
      return Boolean(res.end(compressed ? gzipSync(text) : text));
    };
    for (let i = 1; i <= 60; i++) await call(bot.token, 'sendMessage', json({}));
    const captured = await waitForCaptured(bot.id, 60);
    expect(captured.map(({ result }) => JSON.parse(result).message_id)).toEqual(
      Array.from({ length: 60 }, (_, i) => i + 1),
    );
  });

  const kept = [...CAPTURED_METHODS].filter(([, { effect }]) => effect !== 'identity');
  test.each(kept.map(([method, { effect }]) => [method, effect] as const))('%s, as %s', async (method, effect) => {
    const bot = await newBot();
    const result = effect === 'messages' || effect === 'copies' ? '[{"message_id":1}]' : 'true';
    answer = (res) => Boolean(res.end(`{"ok":true,"result":${result}}`));
    await call(bot.token, method, json({ chat_id: 1 }));
    const params = effect === 'messages' ? {} : { chat_id: '1' };
    expect(await waitForCaptured(bot.id, 1)).toEqual([{ method, params, result }]);
  });

  test.each(['sendHologram', 'beamHologram'])('also of %s, of which nobody has heard yet', async (method) => {
    const bot = await newBot();
    await call(bot.token, method, json({}));
    expect((await waitForCaptured(bot.id, 1))[0]?.method).toBe(method.toLowerCase());
  });
});

test('a bot has the username of its newest getMe, also when it is not managed', async () => {
  const { id, token } = await newBot({ manage_enabled: false });
  const known = async () =>
    ((await admin('GET', '/api/bots/show', { query: { id } })).json as { username: string }).username;
  expect(await known()).toBe('b_bot');
  username = 'renamed_bot';
  await call(token, 'getMe');
  await waitFor(async () => (await known()) === 'renamed_bot');
  expect(await readCaptured(id)).toEqual([]);
});

describe('a call that is audited says if not all of its parameters were read', () => {
  const BAN = JSON.stringify({ chat_id: -5, user_id: 77 });
  const pad = (bytes: number) => `{"x":"${'x'.repeat(bytes)}",${BAN.slice(1)}`;
  const TOO_MANY = 'the parameters are longer than 64 KiB, or more than 1000';
  const PADDED = '--b\r\nContent-Disposition: form-data; name="chat_id"\r\n\r\n';
  test.each<[string, RequestInit, string, object?]>([
    [
      'a compressed body',
      {
        ...json(''),
        headers: { ...json('').headers, 'content-encoding': 'gzip' },
        body: new Uint8Array(gzipSync(BAN)),
      },
      'the body is compressed',
    ],
    ['parameters beyond 64 KiB', json(pad(70_000)), TOO_MANY],
    ['more parameters than are read', json(`{${'"y":1,'.repeat(1000)}${BAN.slice(1)}`), TOO_MANY, { y: '1' }],
    [
      'headers beyond that',
      {
        method: 'POST',
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
        body: PADDED.replace(';', `; x=${'y'.repeat(70_000)};`),
      },
      'the body is malformed',
    ],
    [
      'a long parameter',
      json(pad(5_000)),
      'a parameter is longer than 4096 characters',
      { chat_id: '-5', user_id: '77' },
    ],
  ])('%s', async (_name, init, incomplete, kept = {}) => {
    const bot = await newBot();
    answer = (res) => Boolean(res.end('{"ok":true,"result":true}'));
    await call(bot.token, 'banChatMember', init);
    await waitForCaptured(bot.id, 1);
    const entries = await redis.commands.xrange(botKeys(bot.id).history, '-', '+');
    const records = entries.map(([, fields]) => Object.fromEntries(pairs(fields)));
    const { p, n } = records.find(({ t, b }) => t === 'call' && b === String(bot.id)) ?? {};
    expect({ n, p: JSON.parse(p ?? '') }).toEqual({ n: incomplete, p: kept });
  });

  test.each([
    ['two content types', 'Content-Type: text/plain\r\nContent-Type: application/json', BAN],
    ['names with odd escapes', 'Content-Type: application/json', '{"\\chat_id":-5,"user\\_id":"\\77"}'],
    ['an object that is cut off', 'Content-Type: application/json', BAN.slice(0, -1)],
  ])('%s are read as the platform reads them', async (_name, headers, body) => {
    const bot = await newBot();
    answer = (res) => Boolean(res.end('{"ok":true,"result":true}'));
    const head = `POST /bot${bot.token}/banChatMember HTTP/1.1\r\nHost: h\r\nConnection: close\r\n${headers}`;
    await rawExchange(api.port, `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    const params = { chat_id: '-5', user_id: '77' };
    expect(await waitForCaptured(bot.id, 1)).toEqual([{ method: 'banchatmember', params, result: 'true' }]);
  });
});

describe('a call is not captured', () => {
  test('when it reads, or its result is no message', async () => {
    const bot = await newBot();
    answer = (res, method) => method !== 'sendDice' && Boolean(res.end('{"ok":true,"result":true}'));
    for (const method of ['getChat', 'answerCallbackQuery', 'editMessageText', 'sendChatAction']) {
      await call(bot.token, method, json({ chat_id: 1 }));
    }
    expect(await onlyCaptured(bot)).toEqual([]);
  });

  test('when the platform refuses it', async () => {
    const bot = await newBot();
    answer = (res, method) => {
      if (method === 'sendDice') return false;
      res.statusCode = method === 'sendPhoto' ? 400 : 200;
      return Boolean(res.end('{"ok":false,"error_code":400,"description":"Bad Request"}'));
    };
    await call(bot.token, 'sendPhoto', json({}));
    await call(bot.token, 'sendMessage', json({}));
    expect(await onlyCaptured(bot)).toEqual([]);
  });

  test('when its answer is longer than 1 MiB, which still reaches the client', async () => {
    const bot = await newBot();
    const long = `{"ok":true,"result":{"message_id":1,"text":"${'x'.repeat(1_100_000)}"}}`;
    answer = (res, method) => method !== 'sendDice' && Boolean(res.end(long));
    expect(await call(bot.token, 'sendMessage', json({}))).toBe(long);
    expect(await onlyCaptured(bot)).toEqual([]);
  });

  test('of a bot that is not managed', async () => {
    const bot = await newBot({ manage_enabled: false });
    await call(bot.token, 'sendMessage', json({}));
    const other = await newBot();
    await onlyCaptured(other);
    expect(await readCaptured(bot.id)).toEqual([]);
  });
});

describe('when Redis is away', () => {
  test('the client’s answer is the same, and waits for nothing', async () => {
    const bot = await newBot();
    await call(bot.token, 'sendMessage', json({}));
    api.redis.kill();
    try {
      // Waiting for Redis takes a second per call: longer than this test may.
      for (let i = 0; i < 100; i++) {
        expect(await call(bot.token, 'sendMessage', json({}))).toBe(`{"ok":true,"result":${MESSAGE}}`);
      }
      await waitFor(() => api.logLines.some((line) => line.includes('calls for the history wait for Redis')));
    } finally {
      await api.redis.restart();
    }
  });
});
