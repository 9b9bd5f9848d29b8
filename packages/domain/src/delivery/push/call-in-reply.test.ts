import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { platformClient } from '@flotilla/telegram/platform-client.ts';
import { aBot } from '@flotilla/testing/a-bot.ts';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { callInReply, type ReplyDeps } from './call-in-reply.ts';

const bot = aBot();
const SECRET = bot.token.slice(bot.token.indexOf(':') + 1);

let platform: Server;
let url: string;
let calls = 0;
let answer: RequestListener;

beforeEach(async () => {
  calls = 0;
  platform = createServer((request, response) => {
    calls += 1;
    request.resume().on('end', () => answer(request, response));
  }).listen(0, '127.0.0.1');
  await once(platform, 'listening');
  url = `http://127.0.0.1:${(platform.address() as AddressInfo).port}`;
});
afterEach(() => {
  platform.closeAllConnections();
  platform.close();
});

/** Why the call in this answer was not made, or was refused. A bot without programs needs nothing else to make it. */
async function reasonAfter(contentType: string, reply: string, of = bot): Promise<string | undefined> {
  const needed = {
    ...{ platform: platformClient({ apiUrl: url }), directory: { ready: () => false } },
    log: createLogger({ name: 'test', level: 'silent' }),
  };
  const delivery = { contentType, reply: Buffer.from(reply), isCut: false, start: { text: '', isCut: false } };
  return (await callInReply(needed as unknown as ReplyDeps, of, delivery)).call_error;
}
const reasonOfSend = () => reasonAfter('application/json', '{"method":"sendDice","chat_id":5}');

describe('the reason why a call in an answer did not succeed, which programs see', () => {
  const TOLD = 'The call of sendDice in the answer did not succeed:';

  test.each([
    ['the token', bot.token, `${bot.token.slice(0, bot.token.indexOf(':'))}:***`],
    ['its secret, twice', `${SECRET} and ${SECRET}`, '*** and ***'],
  ])("has the platform's words without the secret of the bot: %s", async (_what, said, shown) => {
    const description = `Bad Request: not of ${said}`;
    answer = (_request, response) => {
      response.writeHead(400).end(JSON.stringify({ ok: false, error_code: 400, description }));
    };
    expect(await reasonOfSend()).toBe(`${TOLD} 400 Bad Request: not of ${shown}`);
  });

  test('names no address of a platform that does not listen', async () => {
    await new Promise((resolve) => platform.close(resolve));
    expect(await reasonOfSend()).toBe(`${TOLD} the platform could not be reached`);
  });

  test('nor of one that breaks off', async () => {
    answer = (request) => request.socket.destroy();
    expect(await reasonOfSend()).toBe(`${TOLD} the connection to the platform broke, and may have carried it out`);
  });

  test('and nothing of an answer that is not of the Bot API', async () => {
    answer = (request, response) => response.writeHead(502).end(`<h1>${request.url} at ${url}</h1>`);
    expect(await reasonOfSend()).toBe(`${TOLD} the platform answered with status 502`);
  });
});

describe('a call with more parameters than are read is not made, and its program is told', () => {
  const part = (name: string, value: string) =>
    `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  test.each([
    ['application/json', `{"method":"sendDice",${'"a":1,'.repeat(1000)}"chat_id":5}`],
    ['application/x-www-form-urlencoded', `method=sendDice${'&a='.repeat(1000)}&chat_id=5`],
    ['multipart/form-data; boundary=B', `${part('method', 'sendDice')}${part('a', '').repeat(1000)}--B--`],
  ])('%s', async (contentType, reply) => {
    expect(await reasonAfter(contentType, reply)).toBe(
      'The call in the answer was not made: it may have 1000 parameters',
    );
    expect(calls).toBe(0);
  });
});

test('the backend of a managed bot, which whoever made it may set, names no file of a server', async () => {
  const reply = '{"method":"sendDocument","chat_id":5,"document":"file:///etc/passwd"}';
  const managed = aBot({ parent_bot_id: 7 });
  expect(await reasonAfter('application/json', reply, managed)).toMatch(/document names a file on a disk/);
  expect(calls).toBe(0);
});
