import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { type RawConnection, rawConnection } from '@flotilla/testing/raw-http.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createHttpServer } from '../../http/create-http-server.ts';
import { sendAnswer } from '../answer.ts';
import { isStartOfPoll } from '../path.ts';
import { SuspendableReply } from './suspendable-reply.ts';

const POLL = 'POST /tgapi/bot4242:AAA/getUpdates HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n';

const log = createLogger({ name: 'test', level: 'silent' });
let responses: ServerResponse[];
const { server } = createHttpServer((_request, response) => responses.push(response), {
  maxConnections: 10,
  isPoll: isStartOfPoll,
  log,
});
let client: RawConnection;
let call: AbortController;
let response: ServerResponse;
let reply: SuspendableReply;

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  client.end();
  server.close();
});
beforeEach(async () => {
  client?.end();
  responses = [];
  client = await rawConnection((server.address() as AddressInfo).port);
  client.send(POLL);
  await waitFor(() => responses.length === 1);
  response = responses[0] as ServerResponse;
  call = new AbortController();
  reply = new SuspendableReply(response, call);
});

const answer = () => sendAnswer(reply.take(), { ok: true, result: '[]' });
const suspended = async () => {
  reply.suspendSoon();
  await waitFor(() => response.closed, { message: 'the request to be suspended' });
};

test('a reply that is held leaves its response, and is sent', async () => {
  await suspended();
  expect(call.signal.aborted).toBe(false);
  answer();
  expect(await client.waitFor(/"result"/)).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\{"ok":true,"result":\[\]\}$/s);
});

test('a reply that is sent soon is not suspended, and does not abort its call', async () => {
  reply.suspendSoon();
  answer();
  await client.waitFor(/"result"/);
  client.send(POLL);
  await waitFor(() => responses.length === 2);
  expect(responses.map(({ socket }) => socket)).toEqual([null, response.req.socket]);
  expect(call.signal.aborted).toBe(false);
});

test.each([
  ['a held one', () => {}],
  ['a suspended one', suspended],
])('%s aborts its call when the client leaves, and its answer goes nowhere', async (_what, wait) => {
  await wait();
  client.end();
  await waitFor(() => call.signal.aborted);
  expect(reply.take().destroyed).toBe(true);
});
