import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { type RawConnection, rawConnection } from '@flotilla/testing/raw-http.ts';
import { ADMIN_KEY, testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';

const STRANGER = '4242:AAstrangerstrangerstrangerstrangerx';
const MIB = 1024 * 1024;
/** The bodies of so many fit into the budget; those of all 80 would not. */
const POLLS_AT_ONCE = 20;

const api = testApi({ PUBLIC_URL: 'http://127.0.0.1:1' });
let token: string;
let intake: { path: string; secret: string };
let stalled: RawConnection[] = [];

beforeAll(async () => {
  const bot = await api.addBot({ long_poll_enabled: true, webhook_mode: true });
  token = bot.token;
  const { secretToken } = await api.platform.readWebhook({ bot: Number(token.split(':')[0]) });
  intake = { path: `/telegram/${bot.id}`, secret: secretToken };
});
afterEach(async () => {
  for (const client of stalled) client.end();
  stalled = [];
  await waitFor(async () => (await held()) === 0, { message: 'all that was held to be given back' });
});

const held = () => readMetric(api, 'flotilla_held_body_bytes');
const key = `Authorization: Bearer ${ADMIN_KEY}\r\nContent-Type: application/json\r\n`;
/** A request whose body lacks its last byte. */
const unfinished = (path: string, bytes: number, headers = key) =>
  `POST ${path} HTTP/1.1\r\nHost: h\r\n${headers}Content-Length: ${bytes}\r\n\r\n${' '.repeat(bytes - 1)}`;

async function stall(requests: number, request: string): Promise<void> {
  const clients = await Promise.all(Array.from({ length: requests }, () => rawConnection(api.port)));
  for (const client of clients) client.send(request);
  stalled.push(...clients);
}

/** Stalls this many requests until another one is refused; replaces those that the server closed as too slow. */
async function stallUntil503(requests: number, request: string, ask: () => Promise<Response>): Promise<void> {
  const refused = async () => {
    stalled = stalled.filter((client) => !client.closed());
    await stall(requests - stalled.length, request);
    return (await ask()).status === 503;
  };
  await waitFor(refused, { timeoutMs: 25_000, message: 'a refusal' });
}

const postJson = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${api.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: '{}',
  });

describe('while as many bytes of bodies are held as may be', () => {
  const readers: [what: string, ask: () => Promise<Response>, body: object][] = [
    ['REST', () => postJson('/api/bots/validate', { authorization: `Bearer ${ADMIN_KEY}` }), { code: 'unavailable' }],
    [
      'the intake',
      () => postJson(intake.path, { 'x-telegram-bot-api-secret-token': intake.secret }),
      { code: 'unavailable' },
    ],
    ['an intercepted call', () => postJson(`/tgapi/bot${token}/getWebhookInfo`), { ok: false, error_code: 503 }],
    ['a call without a method', () => postJson(`/tgapi/bot${token}/`), { ok: false, error_code: 503 }],
    ['a stranger’s call without a method', () => postJson(`/tgapi/bot${STRANGER}/`), { ok: false, error_code: 503 }],
  ];

  test('every door refuses further ones with 503 in its own words, and does without them what it did', async () => {
    await stallUntil503(64, unfinished('/api/bots/validate', MIB), () => postJson(`/tgapi/bot${token}/getWebhookInfo`));
    for (const [what, ask, body] of readers) {
      const answer = await ask();
      expect([what, answer.status, answer.headers.get('retry-after')]).toEqual([what, 503, '1']);
      expect(await answer.json()).toMatchObject(body);
    }
    expect((await api.admin('GET', '/api/bots')).status).toBe(200);
    expect((await fetch(`${api.url}/tgapi/bot${token}/getWebhookInfo`)).status).toBe(200);
    // The api does not hold bodies that it streams to the platform.
    expect((await postJson(`/tgapi/bot${token}/getMe`)).status).toBe(200);
  });

  test('they are taken again when others have come to their end, or have gone', async () => {
    const ask = () => postJson(`/tgapi/bot${token}/getWebhookInfo`);
    await stallUntil503(64, unfinished('/api/bots/validate', MIB), ask);
    for (const client of stalled.slice(0, 2)) client.send(' ');
    for (const client of stalled.slice(2, 4)) client.end();
    await waitFor(async () => (await ask()).status === 200);
  });
});

test('strangers fill half of it at most, and are asked for no more than is left', async () => {
  const request = unfinished(`/bot${STRANGER}/`, 64 * 1024, 'Content-Type: application/json\r\n');
  await stallUntil503(700, request, () => postJson(`/bot${STRANGER}/`));
  expect(await held()).toBeLessThanOrEqual(32 * MIB);
  expect((await postJson('/api/auth/login')).status).toBe(503);
  expect((await postJson(`/tgapi/bot${token}/getWebhookInfo`)).status).toBe(200);
  expect((await postJson('/api/bots/validate', { authorization: `Bearer ${ADMIN_KEY}` })).status).toBe(400);
});

test('a poll that waits holds nothing of the body it came with', async () => {
  const polls = await Promise.all(Array.from({ length: 80 }, () => rawConnection(api.port)));
  stalled = polls;
  const body = `{"timeout":50,"x":"${'x'.repeat(MIB - 40)}"}`;
  for (let from = 0; from < polls.length; from += POLLS_AT_ONCE) {
    const some = polls.slice(from, from + POLLS_AT_ONCE);
    for (const [at, poll] of some.entries()) {
      poll.send(
        `POST /bot${token}/${at % 2 === 0 ? 'getUpdates' : '?method=getUpdates'} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    }
    const waiting = from + some.length;
    await waitFor(
      async () => (await readMetric(api, 'flotilla_proxy_waiting_polls')) === waiting && (await held()) === 0,
      { timeoutMs: 40_000, message: `${waiting} polls that wait` },
    );
  }
});

test('a stranger’s token is refused before its body is read, where strangers are', async () => {
  const pod = await api.startPod({ PROXY_UNKNOWN_BOTS: 'reject' });
  for (const path of [`/bot${STRANGER}/`, `/bot${STRANGER}/sendDocument`, `/bot${STRANGER}/setWebhook`]) {
    const client = await rawConnection(pod.port);
    stalled.push(client);
    client.send(unfinished(path, MIB, 'Content-Type: application/json\r\n').slice(0, 300));
    await client.waitFor(/^HTTP\/1\.1 401 [\s\S]*"error_code":401/);
  }
});

test('of a stranger no more is read than the calls need that are answered here', async () => {
  const ask = (bytes: number, framing: string) =>
    rawConnection(api.port).then(async (client) => {
      stalled.push(client);
      const head = `POST /bot${STRANGER}/ HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`;
      client.send(head);
      client.send(framing.startsWith('T') ? `${bytes.toString(16)}\r\n${' '.repeat(bytes)}\r\n` : ' '.repeat(bytes));
      return client.waitFor(/^HTTP\/1\.1 \d+ /);
    });
  expect(await ask(10, 'Content-Length: 65537')).toMatch(/^HTTP\/1.1 413 /);
  expect(await ask(65_537, 'Transfer-Encoding: chunked')).toMatch(/^HTTP\/1.1 413 /);
  // The body names no method.
  expect(await ask(65_536, 'Content-Length: 65536')).toMatch(/^HTTP\/1.1 404 /);
});

test('a call without a method whose body is packed is refused: the platform would unpack it', async () => {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const answer = await fetch(`${api.url}/bot${token}/`, { method: 'POST', headers, body: 'packed' });
  expect([answer.status, await answer.text()]).toEqual([415, '']);
});
