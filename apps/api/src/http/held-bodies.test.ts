import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { type RawConnection, rawConnection } from '@flotilla/testing/raw-http.ts';
import { ADMIN_KEY, testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';

const STRANGER = '4242:AAstrangerstrangerstrangerstrangerx';
const MIB = 1024 * 1024;
/** The bodies of so many fit into the share of a bot; those of all 80 would not. */
const POLLS_AT_ONCE = 10;

const api = testApi({ PUBLIC_URL: 'http://127.0.0.1:1' });
let token: string;
let program = '';
let intake: { path: string; secret: string };
let stalled: RawConnection[] = [];

beforeAll(async () => {
  const bot = await api.addBot({ long_poll_enabled: true, webhook_mode: true });
  token = bot.token;
  const added = await api.admin('POST', '/api/programs/add', { body: { bot_id: bot.id, name: 'slow', mode: 'pull' } });
  const made = await api.admin('POST', '/api/programs/tokens/add', {
    body: { program_id: (added.json as { id: number }).id, name: 'one chat', chats: [5] },
  });
  program = (made.json as { token: string }).token;
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
async function stallUntil503(requests: number, request: string, ask: () => Promise<Response>): Promise<Response> {
  const refused = async () => {
    stalled = stalled.filter((client) => !client.closed());
    await stall(requests - stalled.length, request);
    const answer = await ask();
    return answer.status === 503 ? answer : null;
  };
  return (await waitFor(refused, { timeoutMs: 25_000, message: 'a refusal' })) as Response;
}

const postJson = (path: string, headers: Record<string, string> = {}, body = '{}') =>
  fetch(`${api.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });

const asAdmin = { authorization: `Bearer ${ADMIN_KEY}` };
const JSON_TYPE = 'Content-Type: application/json\r\n';

/** Every door: the request with which its sender fills its share, what it is asked then, and how it refuses. */
const doors: Record<
  string,
  { requests?: number; stalled: () => string; ask: () => Promise<Response>; refusal: object }
> = {
  REST: {
    stalled: () => unfinished('/api/bots/validate', MIB),
    ask: () => postJson('/api/bots/validate', asAdmin),
    refusal: { code: 'unavailable' },
  },
  'the intake': {
    stalled: () => unfinished(intake.path, MIB, `${JSON_TYPE}X-Telegram-Bot-Api-Secret-Token: ${intake.secret}\r\n`),
    ask: () => postJson(intake.path, { 'x-telegram-bot-api-secret-token': intake.secret }),
    refusal: { code: 'unavailable' },
  },
  'an intercepted call': {
    stalled: () => unfinished(`/tgapi/bot${token}/`, MIB, JSON_TYPE),
    ask: () => postJson(`/tgapi/bot${token}/getWebhookInfo`),
    refusal: { ok: false, error_code: 503 },
  },
  'a call without a method': {
    stalled: () => unfinished(`/tgapi/bot${token}/`, MIB, JSON_TYPE),
    ask: () => postJson(`/tgapi/bot${token}/`),
    refusal: { ok: false, error_code: 503 },
  },
  'a program’s call': {
    stalled: () => unfinished(`/tgapi/bot${program}/sendMessage`, MIB, JSON_TYPE),
    ask: () => postJson(`/tgapi/bot${program}/getWebhookInfo`),
    refusal: { ok: false, error_code: 503 },
  },
  'a stranger’s call without a method': {
    requests: 200,
    stalled: () => unfinished(`/bot${STRANGER}/`, 16 * 1024, JSON_TYPE),
    ask: () => postJson(`/tgapi/bot${STRANGER}/`, {}, `{"x":"${'x'.repeat(60_000)}"}`),
    refusal: { ok: false, error_code: 503 },
  },
};

describe('a sender who holds slow bodies', () => {
  test.each(Object.entries(doors))(
    'gets 503 in the words of the door, and nobody else does: %s',
    async (door, full) => {
      const refused = await stallUntil503(full.requests ?? 20, full.stalled(), full.ask);
      expect(await held()).toBeLessThanOrEqual(16 * MIB);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
      expect(await refused.json()).toMatchObject(full.refusal);
      const isOfToken = (name: string) => name.endsWith(' call') || name.startsWith('a call');
      for (const [name, other] of Object.entries(doors)) {
        if (name === door || (isOfToken(name) && isOfToken(door))) continue;
        expect([name, (await other.ask()).status]).not.toEqual([name, 503]);
      }
      // Requests without a body, and those that are streamed to the platform, take no room.
      expect((await api.admin('GET', '/api/bots')).status).toBe(200);
      expect((await postJson(`/tgapi/bot${token}/getMe`)).status).toBe(200);
      for (const client of stalled.slice(0, 3)) client.end();
      await waitFor(async () => (await full.ask()).status !== 503);
    },
  );

  test('another key of the same account gets what is left of the account', async () => {
    const made = await api.admin('POST', '/api/auth/api-keys/create', { body: { name: 'another' } });
    const { key } = made.json as { key: string };
    await stallUntil503(20, unfinished('/api/bots/validate', MIB), () => postJson('/api/bots/validate', asAdmin));
    const other = await postJson('/api/bots/validate', { authorization: `Bearer ${key}` });
    expect(other.status).not.toBe(503);
  });
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

test('slow uploads of a program’s token hold nothing once their first parts have gone on', async () => {
  const part = (name: string, more = '') => `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
  const form = `${part('chat_id')}5\r\n${part('caption')}${'x'.repeat(900_000)}\r\n${part('photo', '; filename="p.jpg"')}z`;
  const end = '\r\n--b--\r\n';
  const head = `POST /tgapi/bot${program}/sendPhoto HTTP/1.1\r\nHost: h\r\nContent-Type: multipart/form-data; boundary=b\r\n`;
  const upload = `${head}Content-Length: ${form.length + end.length}\r\n\r\n${form}`;
  for (let at = 0; at < 20; at += 5) {
    await stall(5, upload);
    await waitFor(async () => ((await held()) ?? MIB) < MIB, { message: 'the first parts to go on' });
  }
  const one = await rawConnection(api.port);
  stalled.push(one);
  one.send(`${upload}${end}`);
  expect(await one.waitFor(/^HTTP\/1\.1 \d+ /)).not.toMatch(/^HTTP\/1\.1 503 /);
});
