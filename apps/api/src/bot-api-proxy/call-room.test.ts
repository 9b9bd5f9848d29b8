import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

/** Of the 2,000 calls that may wait for a server. */
const OF_BOT = 200;

let api: TestApi;
let server: Server;
const hanging: ServerResponse[] = [];

beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    if (url.includes('sendDocument')) hanging.push(response);
    else answer(response, { id: Number(/bot(\d+)/.exec(url)?.[1]), first_name: 'One', username: 'one_bot' });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  api = await startTestApi({ TELEGRAM_UPSTREAMS: `slow=http://127.0.0.1:${port}` });
}, 60_000);
afterAll(async () => {
  server?.closeAllConnections();
  server?.close();
  await api?.stop();
});

function answer(response: ServerResponse, result: unknown): void {
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ ok: true, result }));
}

test('one bot whose calls hang leaves room for the others of its server', async () => {
  const tokens = ['4001:token-of-the-first', '4002:token-of-the-second'] as const;
  for (const token of tokens) {
    expect((await api.admin('POST', '/api/bots/add', { body: { token, upstream: 'slow' } })).status).toBe(200);
  }
  const call = async (token: string, method: string) => {
    const response = await fetch(`${api.url}/tgapi/bot${token}/${method}`);
    return { status: response.status, text: await response.text() };
  };
  const [first, second] = tokens;
  const calls = Array.from({ length: OF_BOT }, () => call(first, 'sendDocument?chat_id=1'));
  await waitFor(() => hanging.length === OF_BOT, { message: 'the share of the bot', timeoutMs: 20_000 });
  expect(await call(first, 'getChat')).toMatchObject({ status: 503, text: expect.stringContaining('of the bot') });
  expect(await call(second, 'getChat')).toMatchObject({ status: 200 });
  for (const response of hanging.splice(0)) answer(response, true);
  expect((await Promise.all(calls)).every(({ status }) => status === 200)).toBe(true);
  expect(await call(first, 'getChat')).toMatchObject({ status: 200 });
}, 60_000);
