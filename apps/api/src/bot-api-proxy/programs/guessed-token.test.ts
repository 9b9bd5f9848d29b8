import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectRedis } from '@flotilla/redis/connect.ts';
import { programKeys } from '@flotilla/redis/keys.ts';
import { rawExchange } from '@flotilla/testing/raw-http.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { beforeAll, expect, test } from '@jest/globals';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const PATH = 'documents/guesses.txt';
const CHAT = 7;
/** More than a mask may keep back; it comes before the guesses and behind them. */
const PADDING = '.'.repeat(100);

const api = testApi();
let port: number;
let secret: string;
let whole: string;
let ofChats: string;

/** Sends a text back, or a file, in a piece for each guess in it. */
async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  let text = new URL(req.url!, 'http://h').searchParams.get('text') ?? '';
  if (req.url!.startsWith('/file/')) text = String(req.headers['x-file']);
  if (req.url!.includes('refused')) res.statusCode = 404;
  for await (const chunk of req) text += textIn(String(chunk));
  for (const piece of text.split(' ')) res.write(` ${piece}`);
  res.end();
}

/** A call of a token with chats is written anew, as JSON. */
function textIn(body: string): string {
  if (body.startsWith('{')) return String((JSON.parse(body) as { text?: string }).text ?? '');
  return new URLSearchParams(body).get('text') ?? '';
}

const platform = createServer((req, res) => void answer(req, res));

beforeAll(async () => {
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
  api.endBefore(async () => {
    platform.closeAllConnections();
    await new Promise((resolve) => platform.close(resolve));
  });
  const bot = await api.addBot();
  secret = bot.token.slice(bot.token.indexOf(':') + 1);
  const newToken = async (name: string, limits: object) => {
    const program = await api.admin('POST', '/api/programs/add', { body: { bot_id: bot.id, name } });
    const { id: programId } = program.json as { id: number };
    const body = { program_id: programId, name: 'a', ...limits };
    const made = await api.admin('POST', '/api/programs/tokens/add', { body });
    return { programId, token: (made.json as { token: string }).token };
  };
  const made = await newToken('of all chats', {});
  whole = made.token;
  ofChats = (await newToken('of a chat', { chats: [CHAT] })).token;
  const redis = await connectRedis({ url: api.env.REDIS_URL!, log: { warn: () => {} } });
  for (const path of [PATH, `${PATH}.refused`]) {
    await redis.commands.zadd(programKeys(bot.id, made.programId).files, Date.now(), path);
  }
  await redis.close();
  const { port: platformPort } = platform.address() as AddressInfo;
  port = (await api.startPod({ TELEGRAM_API_URL: `http://127.0.0.1:${platformPort}` })).port;
}, 60_000);

/** The sizes of the pieces in which the answer to this request came, as its chunked coding shows them. */
async function sizesOf(head: string[], body = ''): Promise<number[]> {
  const framing = body === '' ? [] : [`Content-Length: ${body.length}`];
  const lines = [...head, 'Host: h', 'Connection: close', ...framing];
  const got = await rawExchange(port, `${lines.join('\r\n')}\r\n\r\n${body}`);
  const sizes: number[] = [];
  for (let at = got.indexOf('\r\n\r\n') + 4; at < got.length; ) {
    const size = Number.parseInt(got.slice(at, got.indexOf('\r\n', at)), 16);
    sizes.push(size);
    at = got.indexOf('\r\n', at) + 2 + size + 2;
  }
  return sizes;
}

/** The part of the secret that the sizes of pieces tell: a piece for each guess of its next character. */
async function grow(measure: (text: string) => Promise<number[]>): Promise<string> {
  let known = '';
  while (known.length < secret.length) {
    const guesses = [...ALPHABET].map((next) => `${PADDING}${known}${next}`);
    const sizes = (await measure([PADDING, ...guesses, PADDING].join(' '))).slice(1, guesses.length + 1);
    expect(sizes).toHaveLength(guesses.length);
    const least = Math.min(...sizes);
    if (least === Math.max(...sizes)) break;
    known += ALPHABET[sizes.indexOf(least)];
  }
  return known;
}

const FORM = 'Content-Type: application/x-www-form-urlencoded';
const send = (token: string) => (text: string) =>
  sizesOf([`POST /bot${token}/sendMessage HTTP/1.1`, FORM], `chat_id=${CHAT}&text=${text.replaceAll(' ', '+')}`);
const download = (path: string) => (text: string) =>
  sizesOf([`GET /file/bot${whole}/${path} HTTP/1.1`, `X-File: ${text}`]);

test.each<[string, () => (text: string) => Promise<number[]>]>([
  ['of messages', () => send(whole)],
  ['of messages in the one chat of a token', () => send(ofChats)],
  ['of files', () => download(PATH)],
  ['of errors in place of files', () => download(`${PATH}.refused`)],
])("the sizes of pieces %s tell nothing of the bot's token to who guesses it byte by byte", async (_, measure) => {
  expect(await grow(measure())).toBe('');
});
