import { type RawServer, rawConnection, startRawServer } from '@flotilla/testing/raw-http.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ANSWERED_HERE } from './path.ts';

const api = testApi();
let platform: RawServer;
/** The request lines that reached the platform. */
const seen: string[] = [];
let port: number;
let token: string;

beforeAll(async () => {
  platform = await startRawServer((connection) => {
    seen.push(connection.received().split('\r\n', 1)[0] ?? '');
    connection.clear();
    connection.send('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
  });
  api.endBefore(() => platform.stop());
  token = (await api.addBot({ long_poll_enabled: true })).token;
  port = (await api.startPod({ TELEGRAM_API_URL: platform.url })).port;
}, 60_000);
beforeEach(() => {
  seen.length = 0;
});

/** Sends one request line; returns the response and what the platform received. `T` stands for a registered token. */
async function ask(target: string, method = 'GET') {
  const client = await rawConnection(port);
  client.send(`${method} ${target.replace('T', token)} HTTP/1.1\r\nHost: h\r\n\r\n`);
  await client.waitFor(/^HTTP[\s\S]*\r\n\r\n/);
  const [head = ''] = client.received().split('\r\n\r\n');
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  await waitFor(() => client.closed() || client.received().length >= head.length + 4 + length);
  client.end();
  return { status: Number(head.split(' ')[1]), body: client.received().slice(head.length + 4), seen: [...seen] };
}

const refusedWith = (code: number) => ({
  status: code,
  body: expect.stringMatching(new RegExp(`^\\{"ok":false,"error_code":${code},"description":"`)),
  seen: [],
});

describe('what the platform might read as a call that we answer ourselves does not reach it', () => {
  test.each([
    '/botT/getUpdates#x',
    '/botT/getUpdates#?offset=5',
    '/tgapi/botT/getUpdates#x',
    '/botT#/getUpdates',
    '/botT/#getUpdates',
    '/botT/?method=getUpdates#x',
    '/botT/?a=1#&method=getUpdates',
    '/botT/sendMessage?text=#x',
    '/file/botT/photos/1.jpg#x',
    '/botT/getUpdates%23x',
    '/botT%23/getUpdates',
    '/botT/getUpdates%3Foffset=5',
    '/botT%3F/getUpdates',
    '/botT/getUpdates;x',
    '/botT/getUpdates%3Bx',
    '/botT;x=1/getUpdates',
    '/botT\\getUpdates',
    '/botT/\\getUpdates',
    '/botT/getUpdates\\',
    '/botT%5CgetUpdates',
    '/botT/getUpdates%00',
    '/botT%00/getUpdates',
    '/botT/get%09Updates',
    '/botT/%0AgetUpdates',
    '/botT/getUpdates%0D%0AX:1',
    '/botT/getUpdates%7F',
    '/file/botT/photos/1.jpg%00.html',
    '/botT//getUpdates',
    '/botT/test//getUpdates',
    '/botT//test/getUpdates',
    '/botT%2F%2FgetUpdates',
    '/botT/getUpdates/',
    '/botT/getUpdates%2F',
    '/botT/Test/getUpdates',
    '/botT/v1/getUpdates',
    '/botT/getUpdates/v1',
    '/botT/getUpdates%20',
    '/botT/%20getUpdates',
    '/botT/getUpdates%C2%A0',
    '/botT/get%C2%ADUpdates',
    '/botT/getUpdates&offset=5',
    '/botT/getUpdates,x',
    '/botT/getUpdates.json',
    '/botT/getUpdates:x',
    '/botT/get%2555pdates',
    '/botT/get%25%35%35pdates',
    '/botT/%2567et%2555pdates',
    '/botT/?method=getUpdates%00',
    '/botT/?method=getUpdates/',
    '/botT/?method=%20getUpdates',
  ])('%s is 400', async (target) => {
    expect(await ask(target)).toEqual(refusedWith(400));
  });

  test.each([...ANSWERED_HERE])('%s with something behind it is 400', async (method) => {
    expect(await ask(`/botT/${method}%20`)).toEqual(refusedWith(400));
    expect(await ask(`/botT/?method=${method}%20`)).toEqual(refusedWith(400));
  });

  test.each(['/botT%20/getUpdates', '/bot%22T%22/getMe', '/botT%C2%A0/getUpdates', '/file/botT%20/photos/1.jpg'])(
    '%s is of no token: 401',
    async (target) => {
      expect(await ask(target)).toEqual(refusedWith(401));
    },
  );

  test.each([
    'http://h/botT/getUpdates',
    'https://h:1/tgapi/botT/getUpdates',
    'http:///file/botT/photos/1.jpg',
    '/botT/./getUpdates',
    '/botT/x/../getUpdates',
    '/botT/x/%252e%252e/getUpdates',
    '/file/botT/..;/x',
    '/file/botT/%252e%252e%252fx',
    '/file/botT/..%5Cx',
  ])('%s is 404', async (target) => {
    expect(await ask(target)).toEqual(refusedWith(404));
  });

  test.each([
    '/tgapi/T/getMe',
    '/tgapi/bot/T/getMe',
    '/tgapi/bot/T/getUpdates',
    '/tgapi/getMe',
    '/tgapi/getMe?token=T',
    '/tgapi/',
    '/tgapi',
    '/tgapi/file/T/photos/1.jpg',
    '/tgapi//botT/getUpdates',
    '//botT/getUpdates',
    '//file/botT/photos/1.jpg',
  ])('%s is answered as the Bot API does, and told the right form', async (target) => {
    const form = '/tgapi/bot<token>/<method>, for files /tgapi/file/bot<token>/<path>';
    const answer = await ask(target);
    expect(answer).toEqual(refusedWith(404));
    const why = target.includes('//') ? 'no such path (two slashes)' : 'no such path';
    expect(JSON.parse(answer.body)).toMatchObject({ description: `Not Found: ${why}, it is ${form}` });
  });

  test.each(['/%62otT/getUpdates', '/BotT/getUpdates'])('%s is no path of the proxy: 404', async (target) => {
    expect(await ask(target)).toMatchObject({ status: 404, seen: [] });
  });

  test.each(['\t', '\0', '\f', '\x7f', '\xa0', '\x0b', ' x'])('%j in the request line is 400', async (character) => {
    expect(await ask(`/botT/getUpdates${character}`)).toEqual({ status: 400, body: '', seen: [] });
    expect(await ask(`/botT/get${character}Updates`)).toEqual({ status: 400, body: '', seen: [] });
  });

  test.each(['PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PROPFIND'])('getUpdates by %s is 501', async (method) => {
    expect(await ask('/botT/getUpdates', method)).toEqual({ status: 501, body: '', seen: [] });
  });
});

describe('every spelling that the platform takes for a call that we answer is answered here', () => {
  test.each([
    '/botT/getWebhookInfo',
    '/botT/GETWEBHOOKINFO',
    '/botT/test/getWebhookInfo',
    '/botT/get%57ebhookInfo',
    '/botT%2FgetWebhookInfo',
    '/botT/test%2FgetWebhookInfo',
    '/botT/getWebhookInfo?',
    '/botT/getWebhookInfo?%23',
    '/botT/?method=getWebhookInfo',
    '/botT/?m%65thod=get%57ebhookInfo&method=getMe',
    '/botT?method=getWebhookInfo',
  ])('%s', async (target) => {
    const body = expect.stringContaining('{"ok":true,"result":{"url":""');
    expect(await ask(target)).toEqual({ status: 200, body, seen: [] });
  });
});

describe('what cannot be taken for such a call keeps its bytes', () => {
  test.each([
    '/botT/getMe/',
    '/botT//getMe',
    '/botT/get%zzMe%D0',
    '/botT/unknown.method',
    '/botT/getUpdatesX',
    '/botT/sendMessage?text=a;b/c%23d%00&e=\\',
    '/file/botT/documents/a%20b%23c;d%3Fe.txt?x=y',
    '/file/botT//documents/1.txt',
    '/bot4242:AAstrangerstrangerstrangerstrangerx/getUpdates',
  ])('%s', async (target) => {
    expect(await ask(target)).toEqual({
      status: 200,
      body: '{}',
      seen: [`GET ${target.replace('T', token)} HTTP/1.1`],
    });
  });
});
