import type { ProgramTokenResource } from '@flotilla/contract/program-tokens.ts';
import { type RawConnection, type RawServer, rawConnection, startRawServer } from '@flotilla/testing/raw-http.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

const CHAT = 7;
const api = testApi();
let platform: RawServer;
let port: number;
/** The handler of whole requests, and the requests that came. */
let answer: (connection: RawConnection) => void;
const requests: string[] = [];
let token: string;
let secret: string;
let whole: string;
let ofChats: string;

beforeAll(async () => {
  platform = await startRawServer((connection) => {
    if (!isWhole(connection.received())) return;
    requests.push(connection.received());
    connection.clear();
    answer(connection);
  });
  api.endBefore(() => platform.stop());
  const bot = await api.addBot();
  token = bot.token;
  secret = token.slice(token.indexOf(':') + 1);
  const newToken = async (name: string, limits: object) => {
    const program = await api.admin('POST', '/api/programs/add', { body: { bot_id: bot.id, name } });
    const { id: program_id } = program.json as { id: number };
    const made = await api.admin('POST', '/api/programs/tokens/add', { body: { program_id, name: 'a', ...limits } });
    return (made.json as ProgramTokenResource & { token: string }).token;
  };
  [whole, ofChats] = [await newToken('whole', {}), await newToken('of chats', { chats: [CHAT] })];
  port = (await api.startPod({ TELEGRAM_API_URL: platform.url })).port;
}, 60_000);
beforeEach(() => {
  requests.length = 0;
});

function isWhole(request: string): boolean {
  const end = request.indexOf('\r\n\r\n');
  const length = Number(/^content-length: *(\d+)/im.exec(request)?.[1] ?? 0);
  return end !== -1 && request.length >= end + 4 + length;
}

const chunked = (pieces: string[]) =>
  `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${[...pieces.filter((piece) => piece !== ''), '']
    .map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`)
    .join('')}`;
const withLength = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const shown = (text: string) => text.replaceAll(secret, whole.slice(whole.indexOf(':') + 1));

async function call(bytes: string): Promise<{ all: string; body: string }> {
  answer = (connection) => connection.send(bytes);
  const got = await fetch(`http://127.0.0.1:${port}/bot${whole}/getChat?chat_id=5`, { redirect: 'manual' });
  const body = await got.text();
  return { all: [got.status, got.statusText, ...[...got.headers].flat(), body].join('\n'), body };
}

describe("the bot's token is not in an answer to a program", () => {
  test('wherever the platform cuts the answer into chunks', async () => {
    const body = `{"ok":true,"result":"https://h/bot${token}/x"}`;
    const from = body.indexOf(secret) - 1;
    for (let at = from; at <= from + secret.length + 2; at++) {
      expect((await call(chunked([body.slice(0, at), body.slice(at)]))).body).toBe(shown(body));
    }
    const nearly = `${secret.slice(0, 20)}${secret}${secret}${secret.slice(0, -1)} ${secret.slice(0, 9)}`;
    expect((await call(chunked([...nearly]))).body).toBe(shown(nearly));
  });

  test('when its end comes after the program has its beginning', async () => {
    const body = `{"ok":true,"description":"${'.'.repeat(100)}","result":"${token}"}`;
    for (const cut of [1, 17, secret.length - 1]) {
      const at = body.indexOf(secret) + cut;
      let send = () => {};
      answer = (connection) => {
        connection.send(withLength(body).slice(0, at - body.length));
        send = () => connection.send(body.slice(at));
      };
      const client = await rawConnection(port);
      client.send(`GET /bot${whole}/getChat HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`);
      expect(await client.waitFor(/\.{50}/)).not.toContain(`:${secret.slice(0, cut)}`);
      send();
      expect((await client.waitForClose()).split('\r\n\r\n')[1]).toBe(shown(body));
    }
  });

  test('when an answer has no length and ends like the token begins', async () => {
    const body = `${token} and ${secret.slice(0, 12)}`;
    answer = (connection) => connection.socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${body}`);
    const got = await fetch(`http://127.0.0.1:${port}/bot${whole}/getChat`);
    expect(await got.text()).toBe(shown(body));
  });

  test('when an answer is long', async () => {
    const body = `["${Array.from({ length: 20_000 }, () => token).join('","')}"]`;
    expect((await call(withLength(body))).body).toBe(shown(body));
    expect((await call(chunked(body.match(/.{1,1009}/g)!))).body).toBe(shown(body));
  });

  test('when the platform fails: neither in its words, nor in headers, nor in its page', async () => {
    const page = `<h1>/bot${token}/getChat failed</h1>`;
    for (const status of [404, 429, 500, 502]) {
      const headers = ['Location', 'Link', 'WWW-Authenticate', 'X-Request'].map(
        (name) => `${name}: /bot${token}/x\r\n`,
      );
      const head = `HTTP/1.1 ${status} No ${token}\r\n${headers.join('')}X-Bare: ${secret}\r\nX-Twice: ${token} ${token}`;
      const { all, body } = await call(`${head}\r\nContent-Length: ${page.length}\r\n\r\n${page}`);
      expect({ body, isHidden: !all.includes(secret) }).toEqual({ body: shown(page), isHidden: true });
      expect(all).toContain(`\n${shown(secret)}\n`);
    }
  });

  test('when the platform breaks off in its middle', async () => {
    const body = `{"ok":true,"result":"${token}`;
    const half = body.slice(0, -10);
    answer = (connection) => connection.socket.end(withLength(body).slice(0, -10));
    const client = await rawConnection(port);
    client.send(`GET /bot${whole}/getChat HTTP/1.1\r\nHost: h\r\n\r\n`);
    const got = await client.waitForClose();
    expect(got).not.toContain(secret.slice(0, 5));
    expect(half).toContain(secret.slice(0, 5));
  });

  test('nor is the platform ever allowed to compress', async () => {
    answer = (connection) => connection.send(withLength('{}'));
    const encodings = ['', 'Accept-Encoding: gzip\r\n', 'ACCEPT-ENCODING: br\r\naccept-encoding: gzip\r\n'];
    for (const encoding of [...encodings, 'Connection: close, accept-encoding\r\nAccept-Encoding: gzip\r\n']) {
      const client = await rawConnection(port);
      client.send(`GET /bot${whole}/getChat HTTP/1.1\r\nHost: h\r\n${encoding}\r\n`);
      await client.waitFor(/\{\}$/);
      client.end();
      expect(requests.at(-1)!.match(/^accept-encoding:.*$/gim)).toEqual(['Accept-Encoding: identity']);
    }
  });
});

test('a program asks for whole answers only, because the secret is not found in a part of it', async () => {
  answer = (connection) => connection.send(withLength('{}'));
  const range = { Range: 'bytes=0-40', 'If-Range': '"a"', Accept: 'a/b' };
  await fetch(`http://127.0.0.1:${port}/bot${whole}/getChat`, { headers: range });
  expect(requests.at(-1)!.match(/^(?:range|if-range|accept):.*$/gim)).toEqual(['Accept: a/b']);
  await fetch(`http://127.0.0.1:${port}/bot${token}/getChat`, { headers: range });
  expect(requests.at(-1)!.match(/^(?:range|if-range|accept):.*$/gim)).toHaveLength(3);
});

describe('a body that comes after its head', () => {
  /** The api asks for the body (100) before it looks for it, so the body is not there then. */
  const send = async (type: string, body: string, framing = `Content-Length: ${body.length}`) => {
    answer = (connection) => connection.send(withLength('{"ok":true}'));
    const client = await rawConnection(port);
    const head = `POST /bot${ofChats}/sendMessage HTTP/1.1\r\nHost: h\r\nContent-Type: ${type}\r\nExpect: 100-continue`;
    client.send(`${head}\r\nConnection: close\r\n${framing}\r\n\r\n`);
    await client.waitFor(/^HTTP\/1.1 100/);
    client.send(body);
    return Number(/HTTP\/1.1 (?!100)(\d+)/.exec(await client.waitForClose())?.[1]);
  };

  test.each([
    ['application/json', `{"chat_id":${CHAT},"text":"a"}`, `{"chat_id":${CHAT},"chat_id":8}`],
    ['application/x-www-form-urlencoded', `text=a&chat_id=${CHAT}`, `chat_id=${CHAT}&chat_id=8`],
  ])('is judged like any other: %s', async (type, allowed, refused) => {
    expect(await send(type, refused)).toBe(403);
    expect(requests).toEqual([]);
    expect(await send(type, allowed)).toBe(200);
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatch(new RegExp(`^POST /bot${token}/sendMessage HTTP`));
    expect(JSON.parse(requests[0]!.split('\r\n\r\n')[1]!)).toEqual({ chat_id: `${CHAT}`, text: 'a' });
  });
});
